// Package cases is what the programs beside it share: how cases are written, and how objects are
// made up.
//
// A case is a line of tab-separated fields: a letter for its kind, then what goes in and what
// upstream makes of it. Texts are in hexadecimal, so that no quoting is needed; "-" is the empty
// text. The cases are the same in every run. cases.h reads them.
package cases

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Text is a field of arbitrary bytes.
type Text string

func (t Text) String() string {
	if t == "" {
		return "-"
	}
	return hex.EncodeToString([]byte(t))
}

// Writer writes cases to standard output, and has the chance that they are made of.
type Writer struct {
	Random *rand.Rand
	out    *bufio.Writer
}

// NewWriter starts the same sequence every time.
func NewWriter() *Writer {
	return &Writer{Random: rand.New(rand.NewPCG(1, 37)), out: bufio.NewWriter(os.Stdout)}
}

// Line writes one case. Booleans are 1 or 0.
func (w *Writer) Line(kind string, fields ...any) {
	var line strings.Builder
	line.WriteString(kind)
	for _, field := range fields {
		line.WriteByte('\t')
		switch field {
		case true:
			field = 1
		case false:
			field = 0
		}
		fmt.Fprint(&line, field)
	}
	fmt.Fprintln(w.out, line.String())
}

// Close must come last.
func (w *Writer) Close() {
	if err := w.out.Flush(); err != nil {
		Fatal("%v", err)
	}
}

// Chance is true with the given probability.
func (w *Writer) Chance(probability float64) bool {
	return w.Random.Float64() < probability
}

// Pick chooses one of them.
func Pick[T any](w *Writer, choices []T) T {
	return choices[w.Random.IntN(len(choices))]
}

// Must is the value, or the end.
func Must[T any](value T, err error) T {
	if err != nil {
		Fatal("%v", err)
	}
	return value
}

// Fatal says what is wrong and ends the program, and with it the test.
func Fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, filepath.Base(os.Args[0])+": "+format+"\n", args...)
	os.Exit(1)
}
