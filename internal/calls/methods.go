package calls

import (
	"encoding/json"
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

// methods are what may be asked for, by name.
var methods = map[string]func(c *Call, text []byte) (any, error){
	"version": method(func(*Call, struct{}) (any, error) { return rdfgpu.DescribeBuild(), nil }),
	"open":    method((*Call).open),
	"close":   method((*Call).close),
	"load":    method((*Call).load),
	"compact": method((*Call).compact),
	"put":     method((*Call).put),
	"dump":    method((*Call).dump),
	"query":   method((*Call).query),
	"explain": method((*Call).explain),
	"update":  method((*Call).update),
	"patch":   method((*Call).patch),
	"info":    method((*Call).info),
	"schema":  method((*Call).schema),
}

// method reads the parameters before it calls.
func method[P any](do func(c *Call, parameters P) (any, error)) func(c *Call, text []byte) (any, error) {
	return func(c *Call, text []byte) (any, error) {
		var p P
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, fmt.Errorf("%w: %v", errRequest, err)
		}
		return do(c, p)
	}
}
