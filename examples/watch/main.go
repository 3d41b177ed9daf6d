// Command watch prints the solutions of a query that come (+) and go (-), over broken connections too (docs/WATCH.md):
//
//	go run ./examples/watch http://127.0.0.1:7878/subscribe 'SELECT ?a ?b { ?a <http://e/follows> ?b }'
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	for last := ""; ; time.Sleep(time.Second) {
		request, _ := http.NewRequest(http.MethodPost, os.Args[1], strings.NewReader(os.Args[2]))
		request.Header = http.Header{"Content-Type": {"application/sparql-query"}, "Last-Event-Id": {last}}
		if response, err := http.DefaultClient.Do(request); err == nil {
			if response.StatusCode/100 == 4 {
				log.Fatal(response.Status)
			}
			lines, event := bufio.NewScanner(response.Body), map[string]string{}
			for lines.Buffer(nil, 1<<30); lines.Scan(); {
				field, value, _ := strings.Cut(lines.Text(), ": ")
				if event[field] = value; lines.Text() == "" && event["data"] != "" { // an event is whole
					if event["event"] == "end" && !strings.Contains(event["data"], `"status":503`) {
						log.Fatal(event["data"])
					}
					var told map[string]map[string]struct{ Bindings []json.RawMessage }
					_ = json.Unmarshal([]byte(event["data"]), &told) // what is no table is passed over
					for i, part := range []string{"removed", "added"} {
						for _, row := range told[part]["results"].Bindings {
							fmt.Printf("%c %s\n", "-+"[i], row)
						}
					}
					last, event = cmp.Or(event["id"], last), map[string]string{}
				}
			}
		}
	}
}
