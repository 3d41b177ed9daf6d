//go:build browser

package web

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var rewriteLooks = flag.Bool("rewrite-looks", false, "write testdata/looks anew instead of comparing with it")

// A look is a picture in a grid of coarse cells, each with how bright it is from 0 to 35: enough to see that a part is
// missing, cut off, misplaced or of the wrong theme, and not enough to see which font was there.
const (
	lookColumns, lookRows = 32, 20
	levels                = "0123456789abcdefghijklmnopqrstuvwxyz"
	// A cell differs when it is otherwise by more than cellTolerance levels; differing cells of a share up to
	// lookTolerance are put down to fonts.
	cellTolerance = 4
	lookTolerance = 0.06
)

// lookOf is the look of a picture, a line for each row of cells.
func lookOf(picture image.Image) []string {
	b := picture.Bounds()
	lines := make([]string, lookRows)
	for row := range lines {
		for column := range lookColumns {
			cell := image.Rect(b.Dx()*column/lookColumns, b.Dy()*row/lookRows, b.Dx()*(column+1)/lookColumns, b.Dy()*(row+1)/lookRows)
			lines[row] += string(levels[brightness(picture, cell)])
		}
	}
	return lines
}

// brightness is the mean of a cell.
func brightness(picture image.Image, cell image.Rectangle) int {
	var sum, n uint64
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		for x := cell.Min.X; x < cell.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			sum += uint64(r) + uint64(g) + uint64(b)
			n += 3
		}
	}
	return int(sum * uint64(len(levels)-1) / (n * 0xffff))
}

// compareLook compares what is in the window with testdata/looks, for a while: what moves comes to rest.
func (v *visit) compareLook(name string) {
	v.t.Helper()
	file := filepath.Join("testdata", "looks", name+".txt")
	if *rewriteLooks {
		time.Sleep(800 * time.Millisecond)
		if err := os.WriteFile(file, []byte(strings.Join(v.look(), "\n")+"\n"), 0o644); err != nil {
			v.t.Fatal(err)
		}
		return
	}
	body, err := os.ReadFile(file)
	if err != nil {
		v.t.Fatal(err)
	}
	kept, share := strings.Split(strings.TrimSpace(string(body)), "\n"), 1.0
	for began := time.Now(); share > lookTolerance && time.Since(began) < 3*time.Second; {
		share = difference(v.look(), kept)
	}
	if share > lookTolerance {
		chromedp.Run(v.ctx, shot(name+"-differs"))
		v.t.Errorf("%s: %.0f %% of the picture look otherwise; if that is meant, run the test with -rewrite-looks", name, 100*share)
	}
}

// look is what the window looks like.
func (v *visit) look() []string {
	v.t.Helper()
	var body []byte
	v.do("take a picture", chromedp.ActionFunc(func(ctx context.Context) error { return chromedp.CaptureScreenshot(&body).Do(ctx) }))
	picture, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	return lookOf(picture)
}

// difference is the share of cells that differ.
func difference(a, b []string) float64 {
	var n int
	for row := range lookRows {
		for column := range lookColumns {
			x, y := -1, -1
			if row < len(a) && column < len(a[row]) {
				x = strings.IndexByte(levels, a[row][column])
			}
			if row < len(b) && column < len(b[row]) {
				y = strings.IndexByte(levels, b[row][column])
			}
			if d := x - y; d > cellTolerance || d < -cellTolerance {
				n++
			}
		}
	}
	return float64(n) / (lookColumns * lookRows)
}

func TestWorkbenchLooksAsBefore(t *testing.T) {
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			atEachSize(t, func(v *visit, s *Server) {
				v.open("")
				v.do("choose the theme", chromedp.Evaluate(`localStorage.setItem("rdfgpu-theme", "`+theme+`")`, nil))
				for _, place := range places {
					place.reach(v)
					v.do("come to rest", chromedp.Evaluate(`scrollTo(0, 0); document.activeElement?.blur()`, nil))
					v.compareLook(strings.ReplaceAll(fmt.Sprintf("%s-%s-%s", v.screen.name, theme, place.name), " ", "-"))
				}
			})
		})
	}
}
