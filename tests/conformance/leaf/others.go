package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"flyball.example/conformance/cases"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func (g *generator) intOrStrings() {
	texts := []string{"", "0", "-0", "+5", "5", "005", "2147483647", "2147483648", "-2147483648",
		"-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
		"99999999999999999999", "1_000", "0x1f", "1.5", " 1", "1 ", "http", "+-1", "-+1", "--1", "+", "-",
		"5%", "5%%", "%", "%5", "a%", "1.5%", " 5%", "5 %", "-5%", "+5%", "+-5%", "100%", "1000%",
		"9223372036854775807%", "9223372036854775808%", "-9223372036854775808%", "1e3%", "٥%", "\x00"}
	for range 200 {
		texts = append(texts, g.mutate(strconv.Itoa(g.Random.IntN(300)-100)+"%", "0123456789%+- ._a"))
	}
	for range 200 {
		texts = append(texts, strconv.Itoa(g.Random.IntN(300)-20)+"%")
	}
	totals := []int{0, 1, 2, 3, 7, 10, 100, 101, 33, -5, 1000003, 2147483647, 9007199254740993,
		9223372036854775807, -9223372036854775808}
	scale := func(field string, value intstr.IntOrString) {
		for range 4 {
			total := cases.Pick(g.Writer, totals)
			if g.Random.IntN(2) == 0 {
				total = g.Random.IntN(5000)
			}
			up, err := intstr.GetScaledValueFromIntOrPercent(&value, total, true)
			down, _ := intstr.GetScaledValueFromIntOrPercent(&value, total, false)
			g.Line("I", field, total, err == nil, up, down)
		}
	}
	for _, s := range texts {
		value := intstr.FromString(s)
		parsed := intstr.Parse(s)
		g.Line("S", cases.Text(s), value.IntValue(), parsed.Type == intstr.String, parsed.IntVal,
			cases.Text(parsed.String()))
		scale("t"+cases.Text(s).String(), value)
	}
	for range 50 {
		number := int32(g.number())
		scale(fmt.Sprint("c", number), intstr.FromInt32(number))
	}
}

func (g *generator) timeText() string {
	year := fmt.Sprintf("%04d", cases.Pick(g.Writer, []int{0, 1, 1969, 1970, 2000, 2023, 2024, 2100, 9999,
		g.Random.IntN(10000)}))
	s := year + fmt.Sprintf("-%02d-%02dT", 1+g.Random.IntN(12), 1+g.Random.IntN(31))
	if g.Random.IntN(20) == 0 {
		s += fmt.Sprintf("%d", g.Random.IntN(26))
	} else {
		s += fmt.Sprintf("%02d", g.Random.IntN(24))
	}
	s += fmt.Sprintf(":%02d:%02d", g.Random.IntN(60), g.Random.IntN(60))
	switch g.Random.IntN(6) {
	case 0, 1, 2:
		s += "." + fmt.Sprintf("%06d", g.Random.IntN(1000000))
	case 3:
		s += cases.Pick(g.Writer, []string{".", ","}) + g.digits(14)
	case 4:
		s += cases.Pick(g.Writer, []string{".+12345", ".-00000", ".-00001", ",+00001", ".", ",", ".+1", ".000000000"})
	}
	switch g.Random.IntN(4) {
	case 0, 1:
		s += "Z"
	case 2:
		s += cases.Pick(g.Writer, []string{"+", "-"}) + fmt.Sprintf("%02d:%02d", g.Random.IntN(26), g.Random.IntN(63))
	default:
		s += cases.Pick(g.Writer, []string{"+01:00", "-08:00", "z", "", "+1:00", "+0100", "+01", "Z07:00", "-24:60",
			"+23:59", " Z", "Z ", "*01:00", "+-1:00"})
	}
	if g.Random.IntN(6) == 0 {
		s = g.mutate(s, "0123456789-:TZ.,+ tz")
	}
	return s
}

var fixedTimes = []string{"", "null", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
	"0000-01-01T00:00:00+24:60", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-24:60",
	"0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999-24:60", "2016-12-31T23:59:60Z",
	"2000-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2023-02-29T00:00:00.000000Z",
	"2024-02-29T24:00:00Z", "0001-01-01T01:00:00+01:00", "1969-12-31T23:59:59.999999999Z",
	"1969-12-31T23:59:59.999999Z", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05.1234567890123Z"}

// unquoted is a marshalled time without its quotes; null stays null.
func unquoted(data []byte, err error) cases.Text {
	if err != nil {
		panic(err)
	}
	return cases.Text(strings.Trim(string(data), `"`))
}

func (g *generator) parseTimes(s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var t metav1.Time
	ok := t.UnmarshalJSON(quoted) == nil
	g.Line("T", cases.Text(s), ok, t.Unix(), t.Nanosecond(), unquoted(t.MarshalJSON()),
		t.ProtoTime().Seconds, t.ProtoTime().Nanos)
	var m metav1.MicroTime
	ok = m.UnmarshalJSON(quoted) == nil
	g.Line("U", cases.Text(s), ok, m.Unix(), m.Nanosecond(), unquoted(m.MarshalJSON()),
		m.ProtoMicroTime().Seconds, m.ProtoMicroTime().Nanos)
}

// moment is a second somewhere in the years that are of interest and some that are not.
func (g *generator) moment() (int64, int64) {
	seconds := cases.Pick(g.Writer, []int64{0, -1, 1, -62135596800, -62135596801, -62167219200, -62167219201,
		253402300799, 253402300800, 1700000000, 951782400, int64(g.Random.Uint64()) >> 24,
		int64(g.Random.Uint64N(400_000_000_000)) - 70_000_000_000})
	nanos := cases.Pick(g.Writer, []int64{0, 1, 999, 1000, 999999999, int64(g.Random.IntN(1000000000))})
	return seconds, nanos
}

func (g *generator) times() {
	for _, s := range fixedTimes {
		g.parseTimes(s)
	}
	for range 1500 {
		g.parseTimes(g.timeText())
	}
	for range 800 {
		seconds, nanos := g.moment()
		t, m := metav1.Unix(seconds, nanos), metav1.UnixMicro(seconds, nanos)
		g.Line("F", seconds, nanos, unquoted(t.MarshalJSON()), unquoted(m.MarshalJSON()),
			m.ProtoMicroTime().Nanos)
	}
	for range 200 {
		stamp := metav1.Timestamp{Seconds: int64(g.Random.Uint64()) >> 24, Nanos: int32(g.Random.Uint32())}
		data, err := stamp.Marshal()
		if err != nil {
			panic(err)
		}
		var t metav1.Time
		var m metav1.MicroTime
		if t.Unmarshal(data) != nil || m.Unmarshal(data) != nil {
			panic(stamp)
		}
		g.Line("P", stamp.Seconds, stamp.Nanos, t.Unix(), t.Nanosecond(), m.Unix(), m.Nanosecond())
	}
	for range 800 {
		s1, n1 := g.moment()
		s2, n2 := g.moment()
		a, b := time.Unix(s1, n1), time.Unix(s2, n2)
		distance := time.Duration(g.number())
		moved := a.Add(distance)
		g.Line("X", s1, n1, s2, n2, int64(distance), moved.Unix(), moved.Nanosecond(), int64(a.Sub(b)),
			a.Compare(b))
	}
}

func (g *generator) durationText() string {
	units := []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h", "h", "s", "d", "", "S", "\xb5s"}
	s := cases.Pick(g.Writer, []string{"", "", "-", "+"})
	for range 1 + g.Random.IntN(4) {
		s += g.digits(cases.Pick(g.Writer, []int{1, 2, 4, 10, 20}))
		if g.Random.IntN(2) == 0 {
			s += "." + g.digits(cases.Pick(g.Writer, []int{2, 9, 30}))
		}
		s += units[g.Random.IntN(len(units)-g.Random.IntN(6))]
	}
	return s
}

func (g *generator) durations() {
	texts := []string{"", "0", "-0", "+0", "+", "-", ".", "1", "s", ".s", "-.s", "+.5s", "1.s", "1s1s", "1 s",
		"9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns",
		"-9223372036854775809ns", "9223372036854775808ns9223372036854775808ns",
		"-9223372036854775808ns9223372036854775808ns", "9223372036.854775807s", "9223372036.854775808s",
		"-9223372036.854775808s", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "2562048h",
		"0.9223372036854775807h", "0.9223372036854775808h", "0.9223372036854775809h",
		"0.100000000000000000000h", "0.3333333333333333333h", "1h-1m", "1e3s", "0x1s", "١s"}
	for range 900 {
		texts = append(texts, g.durationText())
	}
	for _, s := range texts {
		d, err := time.ParseDuration(s)
		g.Line("H", cases.Text(s), err == nil, int64(d))
	}
	for range 700 {
		d := time.Duration(g.number())
		g.Line("E", int64(d), cases.Text(d.String()))
	}
}

func (g *generator) bytes() {
	for range 600 {
		data := make([]byte, g.Random.IntN(40))
		for i := range data {
			data[i] = byte(g.Random.Uint32())
		}
		encoded := base64.StdEncoding.EncodeToString(data)
		if g.Random.IntN(3) > 0 {
			encoded = g.mutate(encoded, "AZaz09+/=\r\n\n\n -_\x80")
		}
		// Through JSON, whose decoder is what API objects meet.
		var decoded []byte
		quoted, err := json.Marshal(encoded)
		if err != nil {
			panic(err)
		}
		ok := json.Unmarshal(quoted, &decoded) == nil
		if !ok {
			decoded = nil
		}
		g.Line("B", cases.Text(data), cases.Text(base64.StdEncoding.EncodeToString(data)), cases.Text(encoded), ok, cases.Text(decoded))
	}
	pieces := []string{"a", "abcdefgh", "ä", "€", "😀", "\u07ff", "\u0800", "\uffff", "\U0010ffff", "\x80", "\xc0\x80",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xff", "\xc3", "\xe2\x82"}
	for range 600 {
		var s string
		for range g.Random.IntN(8) {
			s += pieces[g.Random.IntN(len(pieces)-g.Random.IntN(10))]
		}
		g.Line("V", cases.Text(s), utf8.ValidString(s))
	}
}
