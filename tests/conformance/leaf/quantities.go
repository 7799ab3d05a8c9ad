package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/dump"
)

var suffixes = []string{
	"", "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
	"e0", "e1", "e2", "e3", "E3", "e-3", "E-9", "e-10", "e+6", "e18", "e19", "e20", "e21", "e22",
	"e24", "e30", "e-1", "e-12", "e-30", "e100", "e-100", "e3900", "e-4000", "e4294967299",
	"e4294967295", "e99999999999999999999", "e", "ee3", "i", "KI", "ki", "mi", "Kii", "K", "h", "e3i",
	"e+", "+3", "-3", "3e", "µ", " ", "m ", "\x00",
}

var fixedQuantities = []string{
	"", "0", "-0", "+0", "00", "0.", ".0", ".", "-", "+", "-.", "+.", "..", "--1", "+-1", "1.", "1.0",
	"01", "001.500", "1e3", "1E3", "1e03", "1000E", "10000E", "1000000E", "999E", "1001E", "1e21",
	"1E21", "1000e18", "5e21", "1e20", "1e19", "100E", "10E", "9.3E", "9223372036854775807",
	"9223372036854775808", "-9223372036854775808", "-9223372036854775809", "922337203685477580700m",
	"999999999999999999", "1000000000000000000", "9999999999999999999", "0.999999999999999999",
	"0.1n", "0.5n", "1.1n", "-0.1n", "-1.1n", "1n", "999n", "1000n", "1001n", "0.000000001",
	"0.0000000001", "0.0000000000", "-0.0000000000", "0.0000000019", "0e5", "0e-12", "0Ki", "0.0Ki",
	"1Ki", "2Ki", "7Ki", "8Ki", "16Ki", "1023Ki", "1024Ki", "0.5Ki", "0.001Ki", "0.0001Ki",
	"0.0000000001Ki", "1.5Gi", "1.1Gi", "8Ei", "7Ei", "100Ei", "-8Ei", "-100Ei", "7.9999999999Ei",
	"99999999999Ki", "999999999999Ki", "99Ti", "100Ti", "999Gi", "9999Gi", "99999Gi", "1Pi", "1Ei",
	"1e-9", "1e-10", "123456789012345678", "1234567890123456789", "12345678901234567890123456789",
	"0.1234567890123456789", "1234567890.1234567891", "100000000000000000000000", "1_000", "0x10",
	"1e1e1", "1.2.3", "1 ", " 1", "1\t", "１", "∞", "NaN", "Inf", "1e+3", "1e-0", ".5", "-.5", "+.5",
	".5Ki", "5.Ki", ".Ki", ".e-10", "Ki", "m", "-m", "0.0000000000000000000e40",
	strings.Repeat("9", 300), strings.Repeat("9", 300) + "Ki", "0." + strings.Repeat("0", 300) + "1",
	"1e4000", "1e-4096", "12345678901234567890e3900",
}

// extremeQuantities are those that upstream parses in no time, and asks about themselves, though it
// never comes back when some of them meet each other.
var extremeQuantities = []string{
	"1e4096", "1e4097", "1000e4096", "1e6000", "-1e6000", "1.5e6000", "-15e6001", "1e-6000", "-1e-6000",
	"1.5e-6000", "1e100000", "1e-100000", "1e400000000", "-1e400000000", "999e400000000", "1e2147483639",
	"1e2147483645", "1e2147483646", "-1e2147483646", "1e2147483647", "-7e2147483647", "12.5e2147483647",
	"1.5e-2147483648", "-1.5e-2147483648", "1.55e-2147483648", "1e6442450943",
	"1e-2147483649", "1e9223372036854775807", "1e9223372036854775808", "1e-9223372036854775808",
	"1e-9223372036854775809", "0e6000", "0e-6000", "0.00e6000", "0." + strings.Repeat("0", 5000),
	"-0." + strings.Repeat("0", 5000) + "Ki", strings.Repeat("0", 5000), strings.Repeat("0", 5000) + "1",
	strings.Repeat("87", 2500), "-" + strings.Repeat("87", 2500), strings.Repeat("9", 5000) + "Ki",
	"-" + strings.Repeat("9", 5000) + "Ei", strings.Repeat("1234567890", 500) + "e1000",
	"0." + strings.Repeat("1234567890", 500), "-0." + strings.Repeat("9", 5000),
	"1." + strings.Repeat("0", 5000) + "1", "-1." + strings.Repeat("0", 5000) + "1m",
	strings.Repeat("7", 3000) + "." + strings.Repeat("7", 3000), strings.Repeat("1", 20) + "e-6000",
	"0." + strings.Repeat("9", 5000) + "Ki", "0." + strings.Repeat("0", 5000) + "1Ei",
	"1.0009765625" + strings.Repeat("0", 5000) + "1Ki", "1.0009765624" + strings.Repeat("9", 5000) + "Ki",
	"8.5" + strings.Repeat("0", 5000) + "1Ei", "-1." + strings.Repeat("3", 5000) + "Gi",
	"9223372036854775807." + strings.Repeat("9", 5000) + "Ki",
	"0.000000000000000000867361737988403547205962240695953369140625" + strings.Repeat("0", 5000) + "Ei",
	"0.000000000000000000867361737988403547205962240695953369140625" + strings.Repeat("0", 5000) + "1Ei",
}

// wideQuantities are, or become when they are rounded, big numbers with more zeros than ours spell
// out.
var wideQuantities = []string{"12345678901234567890e6000", "-12345678901234567890e6000",
	"1234567890123456789e4100", "0." + strings.Repeat("7", 30) + "e5000", "-77777777777777777777777e20000",
	strings.Repeat("9", 5000), "-" + strings.Repeat("9", 5000), strings.Repeat("9", 5000) + "e6000", "1" + strings.Repeat("0", 6000), "-5" + strings.Repeat("0", 6000)}

// comparableQuantities can be compared, and most of them added, by one who expands them.
var comparableQuantities = []string{"0", "1", "-1", "1n", "0.1n", "0e5000", "0e-5000", "1e5000", "1e5001", "10e4999",
	"9999999999999999999e4982", "10000000000000000000e4981", "10000000000000000001e4981", "-1e5000",
	"-12345678901234567890e6000", "12345678901234567890e6000", "123456789012345678900e5999", "1e-5000",
	"1e4000", "1e4090", "1e4089", "-1e4090", strings.Repeat("9", 4096), strings.Repeat("9", 4000),
	"-" + strings.Repeat("9", 4000), strings.Repeat("9", 5000), strings.Repeat("9", 4999) + "8",
	"-" + strings.Repeat("9", 5000), "9223372036854775807Ki", "1Ki", "1.5Gi"}

// nearQuantities have exponents that nobody expands, and so near each other that nobody has to.
var nearQuantities = []string{"1e400000000", "-1e400000000", "10e399999999", "999999999999999999e399999983",
	"1e400000015", "0.5e400000001", "123e399999998", "-5e399999999"}

var exponentPattern = regexp.MustCompile(`[eE]([-+]?[0-9]+)$`)

// bounded tells the texts that upstream expands to a sane length, whatever they meet.
func bounded(s string) bool {
	match := exponentPattern.FindStringSubmatch(s)
	if match == nil {
		return true
	}
	exponent, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return true
	}
	wrapped := int64(int32(exponent))
	return -4096 <= wrapped && wrapped <= 4096
}

func (g *generator) digits(most int) string {
	var digits strings.Builder
	for range g.Random.IntN(most + 1) {
		digits.WriteByte("0000123456789"[g.Random.IntN(13)])
	}
	return digits.String()
}

func (g *generator) quantityText() string {
	s := cases.Pick(g.Writer, []string{"", "", "", "-", "-", "+"})
	s += g.digits(cases.Pick(g.Writer, []int{2, 4, 8, 18, 20, 40}))
	if g.Random.IntN(2) == 0 {
		s += "." + g.digits(cases.Pick(g.Writer, []int{1, 3, 9, 12, 30}))
	}
	s += cases.Pick(g.Writer, suffixes)
	if g.Random.IntN(8) == 0 {
		s = g.mutate(s, "0123456789.+-eEinumkKMGTP xX\x00\xff")
	}
	return s
}

// operand is a quantity and how to make it again, since upstream's operations change what they
// are given.
type operand struct {
	field string
	make  func() resource.Quantity
}

func fromText(s string) operand {
	return operand{"t" + cases.Text(s).String(), func() resource.Quantity { return resource.MustParse(s) }}
}

func fromNumber(value int64, scale resource.Scale, format resource.Format) operand {
	return operand{fmt.Sprintf("c:%d:%d:%s", value, scale, format), func() resource.Quantity {
		q := resource.NewScaledQuantity(value, scale)
		q.Format = format
		return *q
	}}
}

func state(q resource.Quantity) cases.Text { return cases.Text(dump.ForHash(q)) }

// settled is the state after arithmetic. The copy hides whether an empty big number still has
// memory, which nothing but the dump can tell.
func settled(q resource.Quantity) cases.Text { return state(q.DeepCopy()) }

// losesSuffix tells whether upstream has no suffix for the canonical form and prints none.
func losesSuffix(q resource.Quantity) bool {
	if q.IsZero() || q.Format == resource.DecimalExponent || q.Format == "" {
		return false
	}
	if q.Format == resource.BinarySI && (q.CmpInt64(-1024) <= 0 || q.CmpInt64(1024) >= 0) {
		if whole, exact := q.AsScale(0); exact {
			_, power := whole.AsCanonicalBase1024Bytes(nil)
			return power > 6
		}
	}
	_, exponent := q.AsCanonicalBytes(nil)
	return exponent > 18 || exponent < -9
}

func canonical(q resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

// describe writes everything that one quantity tells about itself.
func (g *generator) describe(o operand) {
	q := o.make()
	cached := o.make()
	printed := cached.String()
	whole, fast := q.AsInt64()
	milli, hundred := o.make(), o.make()
	exactMilli, exactHundred := milli.RoundUp(-3), hundred.RoundUp(2)
	g.Line("Q", o.field, state(o.make()), losesSuffix(o.make()), cases.Text(canonical(o.make())), cases.Text(printed),
		state(cached), q.Value(), q.MilliValue(), q.ScaledValue(3), q.ScaledValue(-9), q.ScaledValue(1),
		q.Sign(), fast, whole, math.Float64bits(q.AsApproximateFloat64()),
		exactMilli, settled(milli), exactHundred, settled(hundred))
	if !isMostNegative(o) {
		q.Neg()
		g.Line("N", o.field, settled(q))
	}
}

// isMostNegative tells the number whose negation upstream gets wrong and we do not.
func isMostNegative(o operand) bool {
	return strings.HasPrefix(o.field, "c:-9223372036854775808:")
}

func (g *generator) parse(s string) {
	if !bounded(s) {
		return
	}
	_, err := resource.ParseQuantity(s)
	g.Line("R", cases.Text(s), err == nil)
	if err == nil {
		g.describe(fromText(s))
	}
}

// most is the length of the sums that ours are exact to.
const most = 4096

// digits are those of the number without the zeros at its end, or a few more.
func digits(q resource.Quantity) int {
	number, _ := q.AsCanonicalBytes(nil)
	return len(number)
}

func (g *generator) pair(a, b operand) {
	x, y := a.make(), b.make()
	sum := a.make()
	sum.Add(b.make())
	if digits(sum.DeepCopy()) > most {
		g.Line("C", a.field, b.field, x.Cmp(y))
	} else {
		g.Line("A", a.field, b.field, x.Cmp(y), settled(sum), losesSuffix(sum.DeepCopy()),
			cases.Text(canonical(sum.DeepCopy())))
	}
	if isMostNegative(b) {
		return
	}
	difference := a.make()
	difference.Sub(b.make())
	if digits(difference.DeepCopy()) > most {
		return
	}
	g.Line("D", a.field, b.field, settled(difference), losesSuffix(difference.DeepCopy()),
		cases.Text(canonical(difference.DeepCopy())))
}

func (g *generator) multiply(o operand, factor int64) {
	q := o.make()
	exact := q.Mul(factor)
	g.Line("M", o.field, factor, exact, settled(q))
}

// wide writes what a quantity tells about itself but its state.
func (g *generator) wide(s string) {
	q := resource.MustParse(s)
	g.Line("W", cases.Text(s), losesSuffix(q.DeepCopy()), cases.Text(canonical(q.DeepCopy())), q.Value(),
		q.MilliValue(), q.ScaledValue(3), q.ScaledValue(-9), q.ScaledValue(1), q.Sign(),
		math.Float64bits(q.AsApproximateFloat64()))
}

func (g *generator) extremes() {
	for _, s := range extremeQuantities {
		_, err := resource.ParseQuantity(s)
		g.Line("R", cases.Text(s), err == nil)
		if err == nil {
			g.describe(fromText(s))
			g.json(s)
		}
	}
	for _, s := range wideQuantities {
		g.wide(s)
	}
	for _, a := range comparableQuantities {
		for _, b := range comparableQuantities {
			x, y := resource.MustParse(a), resource.MustParse(b)
			g.Line("C", fromText(a).field, fromText(b).field, x.Cmp(y))
			sum, difference := resource.MustParse(a), resource.MustParse(a)
			sum.Add(resource.MustParse(b))
			difference.Sub(resource.MustParse(b))
			g.sum("+", a, b, sum)
			g.sum("-", a, b, difference)
		}
	}
	for _, a := range nearQuantities {
		for _, b := range nearQuantities {
			g.pair(fromText(a), fromText(b))
		}
	}
}

// sum writes what a sum is worth, in a form that does not need all of its zeros.
func (g *generator) sum(operator, a, b string, sum resource.Quantity) {
	if digits(sum.DeepCopy()) > most || losesSuffix(sum.DeepCopy()) {
		return
	}
	g.Line("Y", operator, fromText(a).field, fromText(b).field, cases.Text(canonical(sum.DeepCopy())), sum.Value(),
		sum.MilliValue(), sum.Sign())
}

func (g *generator) quantities() {
	var pool []operand
	keep := func(s string) {
		if bounded(s) {
			if _, err := resource.ParseQuantity(s); err == nil {
				pool = append(pool, fromText(s))
			}
		}
	}
	for _, s := range fixedQuantities {
		g.parse(s)
		keep(s)
	}
	for _, sign := range []string{"", "-"} {
		for _, number := range []string{"1", "1.5", "1000", "0.001", "123456789012345678", "1024"} {
			for _, suffix := range suffixes {
				g.parse(sign + number + suffix)
			}
		}
	}
	for range 3000 {
		s := g.quantityText()
		g.parse(s)
		keep(s)
	}
	formats := []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent, ""}
	for _, value := range []int64{-1 << 63, 1<<63 - 1, 1 << 62, -1 << 60, 1023, 1024, -1024, 1000, 1} {
		for _, scale := range []resource.Scale{0, 1, 3, 6, 9, 10, 18, 21, -1, -3, -9, -12} {
			for _, format := range formats {
				o := fromNumber(value, scale, format)
				g.describe(o)
				pool = append(pool, o)
			}
		}
	}
	for range 800 {
		scale := cases.Pick(g.Writer, []resource.Scale{0, 0, -3, -9, 3, resource.Scale(g.Random.IntN(80) - 40)})
		o := fromNumber(g.number(), scale, cases.Pick(g.Writer, formats))
		g.describe(o)
		pool = append(pool, o)
	}
	for range 4000 {
		g.pair(cases.Pick(g.Writer, pool), cases.Pick(g.Writer, pool))
	}
	for range 1000 {
		g.multiply(cases.Pick(g.Writer, pool), g.number())
	}
	g.extremes()
	for range 500 {
		g.json(cases.Pick(g.Writer, fixedQuantities))
	}
}

var spaces = []string{"", "", " ", "\t", "\n", "\v", "\f", "\r", "\u0085", "\u00a0", "\u1680", "\u2003",
	"\u2028", "\u202f", "\u205f", "\u3000", "\u200b", "\ufeff", "\x85", "\xa0"}

func (g *generator) json(s string) {
	s = cases.Pick(g.Writer, spaces) + cases.Pick(g.Writer, spaces) + s + cases.Pick(g.Writer, spaces) + cases.Pick(g.Writer, spaces)
	var q resource.Quantity
	if err := q.UnmarshalJSON([]byte(`"` + s + `"`)); err != nil {
		g.Line("J", cases.Text(s), false, cases.Text(""))
		return
	}
	g.Line("J", cases.Text(s), true, state(q))
}
