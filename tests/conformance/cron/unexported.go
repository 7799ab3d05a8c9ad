package main

import (
	"time"
	_ "unsafe" // for go:linkname

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	_ "k8s.io/kubernetes/pkg/controller/cronjob"
)

// What upstream does not export and yet is the only authority on. The third result is how many times
// were missed: none, a few, many.

//go:linkname mostRecentTime k8s.io/kubernetes/pkg/controller/cronjob.mostRecentScheduleTime
func mostRecentTime(*batchv1.CronJob, time.Time, cron.Schedule, bool) (time.Time, *time.Time, int, error)

//go:linkname untilNext k8s.io/kubernetes/pkg/controller/cronjob.nextScheduleTimeDuration
func untilNext(*batchv1.CronJob, time.Time, cron.Schedule) *time.Duration
