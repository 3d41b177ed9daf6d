// Command rdfgpu loads RDF into a store and answers SPARQL over it.
package main

func main() {}
