package main

import (
	"fmt"
	"strings"
	"time"

	"flyball.example/conformance/cases"
)

type generator struct{ *cases.Writer }

// Zones whose clocks do all that clocks do: an hour, half of one or two, at midnight, at one or at two
// o'clock, in spring or in autumn, with the moon, only in the past, or never.
var zones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Moscow", "Europe/Istanbul",
	"Europe/Chisinau", "America/New_York", "America/Los_Angeles", "America/Phoenix", "America/Sao_Paulo", "America/Havana",
	"America/Santiago", "America/Asuncion", "America/St_Johns", "America/Caracas", "America/Scoresbysund", "America/Nuuk",
	"America/Mexico_City", "America/Bogota", "America/Miquelon", "Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun",
	"Africa/Johannesburg", "Africa/Lagos", "Asia/Amman", "Asia/Baghdad", "Asia/Beirut", "Asia/Damascus", "Asia/Gaza",
	"Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Pyongyang", "Asia/Shanghai", "Asia/Tehran", "Asia/Tokyo",
	"Asia/Yangon", "Australia/Adelaide", "Australia/Eucla", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia",
	"Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji", "Pacific/Honolulu", "Pacific/Kiritimati",
	"Pacific/Norfolk", "Antarctica/Troll", "Atlantic/Azores", "Etc/GMT+12", "Etc/GMT-14", "EST5EDT", "MET",
}

// first is when a zone's cases begin. A day that was left out, as those of Samoa and Tokelau were in
// 2011, keeps upstream's library going for good.
func first(zone string) int64 {
	if zone == "Pacific/Apia" {
		return time.Date(2012, 1, 2, 0, 0, 0, 0, time.UTC).Unix()
	}
	return time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
}

// moment is any, and every second time one within two days of a change of the clocks.
func (g *generator) moment(zone string) int64 {
	from := first(zone)
	until := time.Date(2080, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	at := from + g.Random.Int64N(until-from)
	if g.Chance(0.5) {
		return at
	}
	change := nextChange(cases.Must(time.LoadLocation(zone)), at)
	return max(from, change+g.Random.Int64N(4*86400)-2*86400)
}

func nextChange(zone *time.Location, after int64) int64 {
	offset := func(at int64) int {
		_, offset := time.Unix(at, 0).In(zone).Zone()
		return offset
	}
	const week = 7 * 86400
	for begin := after; begin < after+53*week; begin += week {
		if offset(begin) == offset(begin+week) {
			continue
		}
		low, high := begin, begin+week
		for high-low > 1 {
			if middle := (low + high) / 2; offset(middle) == offset(low) {
				low = middle
			} else {
				high = middle
			}
		}
		return high
	}
	return after
}

func (g *generator) inZone(zone, schedule string) string {
	if g.Chance(0.1) {
		return schedule
	}
	spaces := cases.Pick(g.Writer, []string{" ", " ", " ", "  ", " \t"})
	return cases.Pick(g.Writer, []string{"TZ=", "CRON_TZ="}) + zone + spaces + schedule
}

func (g *generator) schedule() string {
	switch g.Random.IntN(20) {
	case 0:
		return cases.Pick(g.Writer, []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
	case 1:
		return "@every " + cases.Pick(g.Writer, []string{"1s", "1m", "90m", "1h30m10s", "1.5s", "999ms", "-3h", "24h", "1000h",
			fmt.Sprint(g.Random.IntN(100000)) + "s"})
	case 2:
		// Some of these never come.
		return fmt.Sprintf("%d %d %d %s *", g.Random.IntN(60), g.Random.IntN(24), 28+g.Random.IntN(4), g.field(1, 12, months))
	}
	hours := g.field(0, 23, nil)
	if g.Chance(0.5) {
		hours = g.field(0, 4, nil)
	}
	days, weekdays := "*", "*"
	if g.Chance(0.3) {
		days = g.field(1, 31, nil)
	}
	if g.Chance(0.3) {
		weekdays = g.field(0, 6, weekdayNames)
	}
	month := "*"
	if g.Chance(0.2) {
		month = g.field(1, 12, months)
	}
	return strings.Join([]string{g.field(0, 59, nil), hours, days, month, weekdays},
		cases.Pick(g.Writer, []string{" ", " ", " ", "  ", "\t", "\u00a0", "\u2003"}))
}

var (
	months       = []string{"jan", "FEB", "Mar", "apr", "may", "JUN", "jul", "aUg", "sep", "oct", "NOV", "Dec"}
	weekdayNames = []string{"sun", "MON", "Tue", "wed", "thu", "FRI", "saT"}
)

// field is one of five: names are those of the numbers from the least on.
func (g *generator) field(least, most int, names []string) string {
	number := func(n int) string {
		if names != nil && g.Chance(0.4) {
			return names[n-least]
		}
		return fmt.Sprintf(cases.Pick(g.Writer, []string{"%d", "%d", "%d", "%02d", "+%d"}), n)
	}
	var parts []string
	for range cases.Pick(g.Writer, []int{1, 1, 1, 1, 2, 3}) {
		low := least + g.Random.IntN(most-least+1)
		high := low + g.Random.IntN(most-low+1)
		step := "/" + fmt.Sprint(1+g.Random.IntN(cases.Pick(g.Writer, []int{3, 15, 70})))
		part := cases.Pick(g.Writer, []string{"*", "?", "*" + step, number(low), number(low), number(low), number(low) + step,
			number(low) + "-" + number(high), number(low) + "-" + number(high) + step})
		parts = append(parts, part)
	}
	return strings.Join(parts, cases.Pick(g.Writer, []string{",", ",", ",,"}))
}

// damaged is one with something wrong with it, mostly.
func (g *generator) damaged(schedule string) string {
	for range 1 + g.Random.IntN(2) {
		at := g.Random.IntN(len(schedule) + 1)
		mark := cases.Pick(g.Writer, []string{"-", "/", ",", "*", "x", "99", "60", "0", " ", "@", "=", "\"", "\n", "é", "\x00", "\xff",
			"99999999999999999999", "9223372036854775808", "+", "TZ=", "../", "mon", "h"})
		rest := schedule[at:]
		if g.Chance(0.4) && rest != "" {
			rest = rest[1:]
		}
		schedule = schedule[:at] + mark + rest
	}
	return schedule
}

var oddSchedules = []string{
	"", " ", "* * * *", "* * * * * *", "@", "@every", "@every ", "@every x", "@every 1", "@every 1x", "@every 1h1", "@every 1.2.3s",
	"@every .s", "@every 9999999999999h", "@every 2562047h47m16s", "@every 2562047h47m17s", "@every 9223372036854775807ns",
	"@every  1h", "@daily ", " @daily", "@Daily", "@reboot", "@every -1h", "@every 0", "@every 1µs", "@every 1ps", "@every +5m",
	"TZ=", "TZ= ", "TZ=0", "TZ=UTC", "TZ=UTC ", "TZ= * * * * *", "TZ=Local * * * * *", "TZ=Nowhere/None * * * * *",
	"CRON_TZ=Europe * * * * *", "TZ=../etc/passwd * * * * *", "TZ=/etc/localtime * * * * *", "TZ=\\x * * * * *",
	"TZ=Europe/Berlin/Mitte * * * * *", "TZ=europe/berlin * * * * *", "TZ=zone.tab * * * * *", "TZ=a\x00b * * * * *",
	"TZ=UTC\t* * * * *", "TZ=UTC @daily", "TZ=UTC  @every 1h ", "TZ=UTC @every 1h x", "TZ=Europe/Berlin TZ=UTC * * * * *",
	"TZ=" + strings.Repeat("x", 300) + " * * * * *",
	"60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 7", "* * * * -1", "-1 * * * *",
	"5-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "*/0 * * * *", "1/0 * * * *", "*/-1 * * * *", "*/x * * * *", "1- * * * *",
	"/5 * * * *", "*- * * * *", "*-x * * * *", "*-5/2 * * * *", "?-9 * * * *", "*/99999 * * * *", "0-59/9223372036854775807 * * * *",
	"*/99999999999999999999 * * * *", "1x * * * *", "99999999999999999999x * * * *", "+ * * * *", "++1 * * * *", "0x1 * * * *",
	"1_0 * * * *", "a,60 * * * *", "60,a * * * *", "1,2 a b c d", "* * * foo *", "* * * * mon-foo", "* * * january *",
	"* * * * sun-sat", "* * * * sat-sun", "0 0 31 2 *", "59 23 31 4,6,9,11 *", "0 0 29 2 *", "0 0 30 2 1", "* , * * *", "* * , * 1",
	"* * , * *", "* * * , *", "* * 1 * ,", "\u3000*\u2003*\u00a0*\u0085* * ", "*\x00* * * *", "é * * * *", "\"1\" * * * *",
}
