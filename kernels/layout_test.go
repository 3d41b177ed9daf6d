package kernels

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// layout is what a side says about the memory that both share: numbers by name, and structs as text, a line for each
// field with its offset, name and type.
type layout struct {
	numbers map[string]uint64
	structs map[string]string
}

// Only one side has these: how the device's threads divide a block, and a bound for tickets, which the host gives.
var deviceOnly, hostOnly = []string{"WARPS"}, []string{"MAX_TILE"}

// TestBothSidesHaveOneLayout reads layout.go and layout.cuh and compares every constant, enumerator and field.
func TestBothSidesHaveOneLayout(t *testing.T) {
	t.Parallel()
	host, device := readHost(t), readDevice(t)
	for _, name := range deviceOnly {
		delete(device.numbers, name)
	}
	for _, name := range hostOnly {
		delete(host.numbers, name)
	}
	differ(t, "constant", host.numbers, device.numbers)
	differ(t, "struct", host.structs, device.structs)
	if len(device.structs) < 10 || len(device.numbers) < 30 {
		t.Errorf("layout.cuh has %d structs and %d constants: is it read whole?", len(device.structs), len(device.numbers))
	}
}

func differ[T comparable](t *testing.T, kind string, host, device map[string]T) {
	t.Helper()
	for name, want := range device {
		if got, ok := host[name]; !ok {
			t.Errorf("layout.cuh has the %s %s, layout.go has not", kind, name)
		} else if got != want {
			t.Errorf("%s %s\nin layout.go:\n%v\nin layout.cuh:\n%v", kind, name, got, want)
		}
	}
	for name := range host {
		if _, ok := device[name]; !ok {
			t.Errorf("layout.go has the %s %s, layout.cuh has not", kind, name)
		}
	}
}

// readHost reads layout.go as the compiler does.
func readHost(t *testing.T) layout {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "layout.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(files, "source", nil), Sizes: types.SizesFor("gc", "amd64")}
	p, err := config.Check("kernels", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := layout{numbers: map[string]uint64{}, structs: map[string]string{}}
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Const:
			n, _ := constant.Uint64Val(constant.ToInt(o.Val()))
			out.numbers[capitals(name)] = n
		case *types.TypeName:
			if s, ok := o.Type().Underlying().(*types.Struct); ok {
				out.structs[name] = hostFields(s, config.Sizes)
			}
		}
	}
	return out
}

func hostFields(s *types.Struct, sizes types.Sizes) string {
	var fields []*types.Var
	for i := range s.NumFields() {
		fields = append(fields, s.Field(i))
	}
	var b strings.Builder
	for i, offset := range sizes.Offsetsof(fields) {
		name := strings.ToLower(fields[i].Name()[:1]) + fields[i].Name()[1:]
		if name == "_" {
			name = "pad"
		}
		fmt.Fprintf(&b, "  %d %s %s\n", offset, name, hostType(fields[i].Type()))
	}
	fmt.Fprintf(&b, "  %d bytes", sizes.Sizeof(s))
	return b.String()
}

func hostType(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return fmt.Sprintf("%s[%d]", hostType(u.Elem()), u.Len())
	case *types.Struct:
		return t.(*types.Named).Obj().Name()
	case *types.Basic:
		return map[types.BasicKind]string{types.Uint32: "u32", types.Uint64: "u64"}[u.Kind()]
	}
	return t.String()
}

// capitals turns the name of a Go constant into that of a device constant: workTile into WORK_TILE.
func capitals(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

var (
	comments    = regexp.MustCompile(`//[^\n]*|(?m)^#.*$`)
	deviceConst = regexp.MustCompile(`const u(?:32|64) (\w+) = ([^;]+);`)
	deviceEnum  = regexp.MustCompile(`enum \w+ : u32 \{([^}]*)\};`)
	deviceType  = regexp.MustCompile(`struct (\w+) \{([^}]*)\};`)
	declared    = regexp.MustCompile(`(\w+) (\w[^;]*);`)
	declarator  = regexp.MustCompile(`^(\w+)(?:\[(\d+)\])?$`)
)

// readDevice reads layout.cuh, which has no more of C++ than this understands.
func readDevice(t *testing.T) layout {
	t.Helper()
	source, err := os.ReadFile("layout.cuh")
	if err != nil {
		t.Fatal(err)
	}
	text := comments.ReplaceAllString(string(source), "")
	out := layout{numbers: map[string]uint64{}, structs: map[string]string{}}
	for _, c := range deviceConst.FindAllStringSubmatch(text, -1) {
		out.numbers[c[1]] = deviceNumber(t, c[1], c[2])
	}
	for _, e := range deviceEnum.FindAllStringSubmatch(text, -1) {
		for i, name := range strings.Split(e[1], ",") {
			out.numbers[strings.TrimSpace(name)] = uint64(i)
		}
	}
	sizes := map[string]size{"u32": {4, 4}, "u64": {8, 8}}
	for _, s := range deviceType.FindAllStringSubmatch(text, -1) {
		out.structs[s[1]], sizes[s[1]] = deviceFields(t, s[2], sizes)
	}
	return out
}

// deviceNumber evaluates the few forms that constants have.
func deviceNumber(t *testing.T, name, text string) uint64 {
	t.Helper()
	switch text = strings.TrimSpace(text); text {
	case "1ull << 63":
		return 1 << 63
	case "BLOCK / 32":
		return Block / 32
	}
	n, err := strconv.ParseUint(strings.TrimRight(text, "ul"), 0, 64)
	if err != nil {
		t.Fatalf("layout.cuh: the value of %s is neither a number nor one of the forms known: %v", name, err)
	}
	return n
}

type size struct{ bytes, align uint64 }

// deviceFields lays a struct out as C++ does.
func deviceFields(t *testing.T, body string, sizes map[string]size) (string, size) {
	t.Helper()
	var b strings.Builder
	whole := size{align: 1}
	for _, d := range declared.FindAllStringSubmatch(body, -1) {
		one, known := sizes[d[1]]
		for _, name := range strings.Split(d[2], ",") {
			f := declarator.FindStringSubmatch(strings.TrimSpace(name))
			if f == nil || !known {
				t.Fatalf("layout.cuh: %q is no field that this test understands", d[0])
			}
			whole.bytes = (whole.bytes + one.align - 1) / one.align * one.align
			kind, count := d[1], uint64(1)
			if f[2] != "" {
				count, _ = strconv.ParseUint(f[2], 10, 64)
				kind += "[" + f[2] + "]"
			}
			fmt.Fprintf(&b, "  %d %s %s\n", whole.bytes, f[1], kind)
			whole.bytes += count * one.bytes
			whole.align = max(whole.align, one.align)
		}
	}
	whole.bytes = (whole.bytes + whole.align - 1) / whole.align * whole.align
	fmt.Fprintf(&b, "  %d bytes", whole.bytes)
	return b.String(), whole
}

func TestTheLayoutIsThatOfTheRunningProgram(t *testing.T) {
	if Size[Program]() != 256 || Size[Step]() != 256 || Size[Link]() != 120 {
		t.Errorf("Program, Step and Link have %d, %d and %d bytes", Size[Program](), Size[Step](), Size[Link]())
	}
}
func TestCountsBeyond64BitsAreTheLargestNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state State
		want  uint64
	}{
		{State{Count: 5}, 5},
		{State{Count: 1 << 33, CountHigh: 1}, 3 << 32},
		{State{Count: math.MaxUint32, CountHigh: math.MaxUint32}, math.MaxUint64},
		{State{CountHigh: 1 << 32}, math.MaxUint64},
		{State{Count: 7, Overflowed: 1}, math.MaxUint64},
	} {
		if got := c.state.Solutions(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.state, got, c.want)
		}
	}
}

func TestTheEmulatedDeviceRefusesAccessOutside(t *testing.T) {
	t.Parallel()
	e := Emulate(1 << 20)
	a, err := e.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("reading behind an allocation did not panic")
		}
	}()
	e.memory.bytes(a+90, 20)
}

func TestOpenWithoutAGPUFails(t *testing.T) {
	if d, err := Open(99); err == nil {
		t.Errorf("opened %s", d.Name())
	} else {
		t.Log(err)
	}
}
