package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/web"
)

// A store served inside another program, under a path of its own.
func Example() {
	store, err := rdfgpu.Open("my.store", rdfgpu.Options{})
	if err != nil {
		fmt.Println("there is no such store")
		return
	}
	defer store.Close()
	server, err := web.New(web.StoreEngine(store), web.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/data/", http.StripPrefix("/data", server))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/data/sparql?query=ASK{}", nil))
	fmt.Println(w.Code)
	// Output: there is no such store
}
