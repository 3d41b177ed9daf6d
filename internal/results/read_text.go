package results

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// longestLine bounds one row of TSV.
const longestLine = 16 << 20

func readTSV(in io.Reader) (*Table, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	if !lines.Scan() {
		return nil, fmt.Errorf("%w: no line of variables", ErrSyntax)
	}
	head := strings.TrimSuffix(lines.Text(), "\r")
	if head == "true" || head == "false" {
		return &Table{IsBoolean: true, Boolean: head == "true"}, nil
	}
	t := &Table{}
	if head != "" {
		for _, v := range strings.Split(head, "\t") {
			t.Variables = append(t.Variables, strings.TrimLeft(v, "?$"))
		}
	}
	for lines.Scan() {
		fields := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		row := make([]rdf.Term, len(t.Variables))
		if len(fields) != len(row) && !(len(row) == 0 && fields[0] == "") {
			return nil, fmt.Errorf("%w: %d fields where there are %d variables", ErrSyntax, len(fields), len(row))
		}
		for c := range row {
			term, err := parseTurtleTerm(fields[c])
			if err != nil {
				return nil, err
			}
			row[c] = term
		}
		t.Rows = append(t.Rows, row)
	}
	return t, lines.Err()
}

// parseTurtleTerm reads one field of TSV; an empty one is unbound.
func parseTurtleTerm(s string) (rdf.Term, error) {
	switch {
	case s == "":
		return rdf.Term{}, nil
	case s == "true" || s == "false":
		return rdf.NewTyped(s, rdf.XSDBoolean), nil
	case strings.HasPrefix(s, "_:"):
		return rdf.NewBlank(s[2:]), nil
	case s[0] == '<' && s[len(s)-1] == '>' || s[0] == '"':
		c, _ := parse([]byte(s), nil)
		if c.kind == 0 {
			break
		}
		t := rdf.NewTyped(string(c.value), string(c.datatype))
		t.Kind, t.Language = c.kind, string(c.language)
		return t, nil
	case s[0] == '\'' && strings.LastIndexByte(s, '\'') > 0:
		end := strings.LastIndexByte(s, '\'')
		return parseTurtleTerm(`"` + strings.ReplaceAll(s[1:end], `"`, `\"`) + `"` + s[end+1:])
	}
	if datatype := numberShape([]byte(s)); datatype != "" {
		return rdf.NewTyped(s, datatype), nil
	}
	return rdf.Term{}, fmt.Errorf("%w: %q is no term", ErrSyntax, s)
}

func readCSV(in io.Reader) (*Table, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	head, rest, err := csvRecord(string(text))
	if err != nil || len(text) == 0 {
		return &Table{}, err
	}
	if len(head) == 1 && (head[0] == "true" || head[0] == "false") && rest == "" {
		return &Table{IsBoolean: true, Boolean: head[0] == "true"}, nil
	}
	t := &Table{Variables: head}
	if len(head) == 1 && head[0] == "" {
		t.Variables = nil
	}
	for rest != "" {
		var fields []string
		if fields, rest, err = csvRecord(rest); err != nil {
			return nil, err
		}
		if len(fields) != len(head) {
			return nil, fmt.Errorf("%w: %d fields where there are %d variables", ErrSyntax, len(fields), len(head))
		}
		row := make([]rdf.Term, len(t.Variables))
		for c := range row {
			switch f := fields[c]; {
			case strings.HasPrefix(f, "_:"):
				row[c] = rdf.NewBlank(f[2:])
			case f != "":
				row[c] = rdf.NewString(f)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// csvRecord reads one record (RFC 4180; a line feed alone ends one too) and returns what follows it.
func csvRecord(s string) (fields []string, rest string, err error) {
	for {
		var field strings.Builder
		if strings.HasPrefix(s, `"`) {
			s = s[1:]
			for {
				end := strings.IndexByte(s, '"')
				if end < 0 {
					return nil, "", fmt.Errorf("%w: a quoted field has no end", ErrSyntax)
				}
				field.WriteString(s[:end])
				if s = s[end+1:]; !strings.HasPrefix(s, `"`) {
					break
				}
				field.WriteByte('"')
				s = s[1:]
			}
		}
		end := strings.IndexAny(s, ",\r\n")
		if end < 0 {
			end = len(s)
		}
		field.WriteString(s[:end])
		fields, s = append(fields, field.String()), s[end:]
		if !strings.HasPrefix(s, ",") {
			return fields, strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n"), nil
		}
		s = s[1:]
	}
}
