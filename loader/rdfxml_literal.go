package loader

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
)

// literalXML reads the content of an element with parseType="Literal" as exclusive canonical XML (RDF 1.1 XML Syntax,
// section 7.2.17), through the element's end tag. Comments and instructions are left out.
func (p *xmlParser) literalXML(in xmlContext) (string, error) {
	var b strings.Builder
	// rendered are the namespaces that the output has declared, one map for each open element.
	rendered := []map[string]string{{}}
	open := []xmlContext{in}
	for {
		t, err := p.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.WriteString(canonicalText.Replace(string(t)))
		case xml.StartElement:
			if len(open) > maxNesting {
				return "", p.fail("elements are nested deeper than %d", maxNesting)
			}
			e, err := p.element(open[len(open)-1], xml.StartElement{Name: t.Name, Attr: namespaceAttributes(t)})
			if err != nil {
				return "", err
			}
			names, err := p.startTag(&b, e.namespaces, rendered[len(rendered)-1], t)
			if err != nil {
				return "", err
			}
			open, rendered = append(open, e.xmlContext), append(rendered, names)
		case xml.EndElement:
			if len(open) == 1 {
				return b.String(), nil
			}
			b.WriteString("</" + written(t.Name) + ">")
			open, rendered = open[:len(open)-1], rendered[:len(rendered)-1]
		}
	}
}

var (
	canonicalText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	canonicalAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
)

func isNamespace(n xml.Name) bool { return n.Space == "xmlns" || n.Space == "" && n.Local == "xmlns" }

func namespaceAttributes(t xml.StartElement) (namespaces []xml.Attr) {
	for _, a := range t.Attr {
		if isNamespace(a.Name) {
			namespaces = append(namespaces, a)
		}
	}
	return namespaces
}

// startTag writes a start tag with the namespaces that it uses and the output has not declared yet, then its
// attributes, by namespace and name.
func (p *xmlParser) startTag(b *strings.Builder, namespaces, rendered map[string]string, t xml.StartElement) (map[string]string, error) {
	used := []string{t.Name.Space}
	type attribute struct{ space, name, value string }
	var attributes []attribute
	for _, a := range t.Attr {
		if isNamespace(a.Name) {
			continue
		}
		n, err := p.resolve(namespaces, a.Name, false)
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, attribute{n.space, written(a.Name), a.Value})
		if a.Name.Space != "" && a.Name.Space != "xml" {
			used = append(used, a.Name.Space)
		}
	}
	slices.SortFunc(attributes, func(x, y attribute) int {
		return strings.Compare(x.space+"\x00"+x.name, y.space+"\x00"+y.name)
	})
	slices.Sort(used)
	names := map[string]string{}
	for prefix, uri := range rendered {
		names[prefix] = uri
	}
	b.WriteString("<" + written(t.Name))
	for _, prefix := range slices.Compact(used) {
		uri := namespaces[prefix]
		if names[prefix] == uri {
			continue
		}
		names[prefix] = uri
		b.WriteString(" xmlns")
		if prefix != "" {
			b.WriteString(":" + prefix)
		}
		b.WriteString(`="` + canonicalAttribute.Replace(uri) + `"`)
	}
	for _, a := range attributes {
		b.WriteString(" " + a.name + `="` + canonicalAttribute.Replace(a.value) + `"`)
	}
	b.WriteString(">")
	return names, nil
}

// Limits for the entities that a document may declare, against those that grow without end.
const (
	maxEntity   = 1 << 16
	maxEntities = 1 << 20
)

var (
	entityDeclaration = regexp.MustCompile(`<!ENTITY\s+([^\s%"']+)\s+(?:"([^"]*)"|'([^']*)')\s*>`)
	entityReference   = regexp.MustCompile(`&([^#;&\s]+);`)
)

// entities takes over the general entities that a DOCTYPE declares, which ontologies use like prefixes.
func (p *xmlParser) entities(directive string) error {
	if !strings.HasPrefix(directive, "DOCTYPE") {
		return nil
	}
	total := 0
	for _, m := range entityDeclaration.FindAllStringSubmatch(directive, -1) {
		value := entityReference.ReplaceAllStringFunc(m[2]+m[3], func(ref string) string {
			if known, ok := p.d.Entity[ref[1:len(ref)-1]]; ok {
				return known
			}
			return ref
		})
		if total += len(value); len(value) > maxEntity || total > maxEntities {
			return p.fail("the entity %q is too long", m[1])
		}
		if p.d.Entity == nil {
			p.d.Entity = map[string]string{}
		}
		p.d.Entity[m[1]] = value
	}
	return nil
}
