package loader

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// dataFile names a file of the shared data, or skips.
func dataFile(tb testing.TB, set string) string {
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		tb.Skip("RDFGPU_DATA does not name the folder of the data sets")
	}
	return filepath.Join(root, set, "data.nt.zst")
}

// BenchmarkLoad loads whole data sets, end to end, from compressed files into a store on disk.
func BenchmarkLoad(b *testing.B) {
	for _, set := range []string{"lubm10", "watdiv1m", "watdiv10m", "debian12", "nomisma"} {
		b.Run(set, func(b *testing.B) {
			path := dataFile(b, set)
			for b.Loop() {
				report, err := Load(context.Background(), b.TempDir(), []Input{{Name: path}}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(report.Read)/report.Elapsed.Seconds()/1e6, "Mtriples/s")
				b.ReportMetric(float64(report.StoreBytes)/float64(report.Triples), "B/triple")
				for _, p := range report.Phases {
					b.ReportMetric(p.Elapsed.Seconds(), string(p.Phase[:4])+string(p.Phase[len(p.Phase)-3:])+"-s")
				}
			}
		})
	}
}
