package web

import (
	"bytes"
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"
)

//go:embed all:workbench/dist
var workbenchFiles embed.FS

// asset is one file of the workbench, as it is and compressed.
type asset struct {
	body, packed []byte
	mediaType    string
	tag          string
}

// workbench maps paths to assets. It is all that can be reached by a path.
var workbench = sync.OnceValue(func() map[string]*asset {
	assets := map[string]*asset{}
	root, _ := fs.Sub(workbenchFiles, "workbench/dist")
	fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		assets["/"+name] = newAsset(name, body)
		return nil
	})
	if index := assets["/index.html"]; index != nil {
		assets["/"] = index
	}
	return assets
})

func newAsset(name string, body []byte) *asset {
	a := &asset{body: body, mediaType: mime.TypeByExtension(path.Ext(name))}
	if a.mediaType == "" {
		a.mediaType = "text/plain; charset=utf-8"
	}
	a.tag = `"` + strconv.FormatUint(xxh3.Hash(body), 36) + `"`
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	w.Write(body)
	w.Close()
	if packed.Len() < len(body) {
		a.packed = packed.Bytes()
	}
	return a
}

// contentPolicy keeps the page to what comes from this server, but for images: those that a store names are shown when
// somebody asks for them, and a map may be laid over tiles that somebody has set.
const contentPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: http: https:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

// serveWorkbench serves the page's files, and 404 for everything else.
func (s *Server) serveWorkbench(w http.ResponseWriter, r *http.Request) {
	a := workbench()[r.URL.Path]
	if a == nil {
		s.fail(w, r, "", &Problem{Status: http.StatusNotFound, Title: "not found", Hint: "the SPARQL endpoint is /sparql"})
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, r, "", &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed"})
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.mediaType)
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(r.URL.Path, "/assets/") { // their names hold a hash
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.body
	if a.packed != nil && acceptance(r.Header.Get("Accept-Encoding"), "gzip") > 0 {
		h.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		w.Write(body)
	}
}
