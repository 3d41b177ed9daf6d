package results

import (
	"fmt"
	"io"
)

// WriteBoolean writes the answer of ASK. CSV and TSV, for which the recommendations define none, get the bare word;
// Arrow and Parquet one row of a column "boolean".
func WriteBoolean(out io.Writer, format Format, answer bool) error {
	var text string
	switch format {
	case JSON:
		text = fmt.Sprintf("{\"head\":{},\"boolean\":%t}\n", answer)
	case XML:
		text = fmt.Sprintf("%s</head>\n<boolean>%t</boolean>\n</sparql>\n", xmlHead, answer)
	case CSV:
		text = fmt.Sprintf("%t\r\n", answer)
	case TSV, TableText:
		text = fmt.Sprintf("%t\n", answer)
	case Arrow:
		return writeArrowBoolean(out, answer)
	case Parquet:
		return writeParquetBoolean(out, answer)
	default:
		return fmt.Errorf("%w: a boolean as %s", ErrFormat, format)
	}
	_, err := io.WriteString(out, text)
	return err
}
