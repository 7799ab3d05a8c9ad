// Writes schedules with the times that upstream's cron library gives them, and cron jobs with what
// upstream's controller takes to be due.
//
//	N  schedule, after, next          seconds since 1970; "never" for none within five years
//	B  schedule, error                one that is refused
//	D  schedule, zone, made, last run, deadline, now in nanoseconds, within the deadline
//	   -> since, due, missed, error, nanoseconds until the next
//
// Where there is no last run, deadline, zone, due time or next, the field is "none". Schedules that
// name no zone go by UTC.
package main

import (
	"time"

	"flyball.example/conformance/cases"
	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/util/parsers"
)

const (
	nextCount = 110000
	dueCount  = 20000
	badCount  = 10000
)

func main() {
	time.Local = time.UTC
	g := &generator{Writer: cases.NewWriter()}
	for _, spec := range oddSchedules {
		g.next(spec, g.moment("Europe/Berlin"))
	}
	for range nextCount {
		zone := cases.Pick(g.Writer, zones)
		g.next(g.inZone(zone, g.schedule()), g.moment(zone))
	}
	for range badCount {
		g.next(g.damaged(g.inZone(cases.Pick(g.Writer, zones), g.schedule())), g.moment("UTC"))
	}
	for range dueCount {
		g.due()
	}
	g.Close()
}

func (g *generator) next(spec string, after int64) {
	schedule, err := parsers.ParseCronScheduleWithPanicRecovery(spec)
	if err != nil {
		g.Line("B", cases.Text(spec), cases.Text(err.Error()))
		return
	}
	nanoseconds := g.Random.Int64N(2) * g.Random.Int64N(1e9)
	next := schedule.Next(time.Unix(after, nanoseconds).UTC())
	g.Line("N", cases.Text(spec), after, seconds(next))
}

func seconds(t time.Time) any {
	if t.IsZero() {
		return "never"
	}
	return t.Unix()
}

// due is a cron job that ran some time ago, or never did.
func (g *generator) due() {
	zone := cases.Pick(g.Writer, zones)
	spec := g.schedule()
	now := time.Unix(g.moment(zone), g.Random.Int64N(1e9)).UTC()
	ago := func() time.Time {
		span := cases.Pick(g.Writer, []int64{60, 3600, 86400, 40 * 86400, 3 * 365 * 86400})
		return time.Unix(now.Unix()-g.Random.Int64N(span), 0).UTC()
	}
	cronJob := &batchv1.CronJob{}
	cronJob.CreationTimestamp = metav1.Time{Time: ago()}
	cronJob.Spec.Schedule = spec
	var lastRun, deadline, named any = "none", "none", "none"
	if g.Chance(0.6) {
		at := metav1.Time{Time: ago()}
		cronJob.Status.LastScheduleTime = &at
		lastRun = at.Unix()
	}
	if g.Chance(0.4) {
		limit := cases.Pick(g.Writer, []int64{0, 1, 10, 60, 600, 86400, 1e9, -1, -100})
		cronJob.Spec.StartingDeadlineSeconds = &limit
		deadline = limit
	}
	text := spec
	if g.Chance(0.7) {
		cronJob.Spec.TimeZone = &zone
		named = cases.Text(zone)
		text = "TZ=" + zone + " " + spec
	}
	schedule, err := parsers.ParseCronScheduleWithPanicRecovery(text)
	if err != nil {
		cases.Fatal("%q: %v", text, err)
	}
	if _, every := schedule.(cron.ConstantDelaySchedule); !every && schedule.Next(now).IsZero() {
		g.never(cronJob, schedule, now)
		return
	}
	within := g.Chance(0.5)
	since, at, missed, err := mostRecentTime(cronJob, now, schedule, within)
	var dueAt any = "none"
	if at != nil {
		dueAt = at.Unix()
	}
	if err != nil {
		cases.Fatal("%q: %v", text, err)
	}
	g.Line("D", cases.Text(spec), named, cronJob.CreationTimestamp.Unix(), lastRun, deadline, now.UnixNano(), within,
		since.Unix(), dueAt, missed, int64(*untilNext(cronJob, now, schedule)))
}

// never is written as E: schedule, error.
func (g *generator) never(cronJob *batchv1.CronJob, schedule cron.Schedule, now time.Time) {
	_, _, _, err := mostRecentTime(cronJob, now, schedule, true)
	if err == nil {
		cases.Fatal("%q: no error", cronJob.Spec.Schedule)
	}
	g.Line("E", cases.Text(cronJob.Spec.Schedule), cases.Text(err.Error()))
}
