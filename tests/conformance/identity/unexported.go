package main

import (
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	_ "k8s.io/kubernetes/pkg/controller/cronjob"
	_ "k8s.io/kubernetes/pkg/controller/daemon"
	_ "k8s.io/kubernetes/pkg/controller/deployment"
	_ "k8s.io/kubernetes/pkg/controller/job"
	_ "k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/utils/lru"
)

// What upstream does not export and yet is the only authority on.

//go:linkname daemonSetPatch k8s.io/kubernetes/pkg/controller/daemon.getPatch
func daemonSetPatch(*appsv1.DaemonSet) ([]byte, error)

//go:linkname statefulSetPatch k8s.io/kubernetes/pkg/controller/statefulset.getPatch
func statefulSetPatch(*appsv1.StatefulSet) ([]byte, error)

//go:linkname matchesRevision k8s.io/kubernetes/pkg/controller/statefulset.setMatchesLatestExistingRevision
func matchesRevision(set *appsv1.StatefulSet, proposed, latest *appsv1.ControllerRevision, memory *lru.Cache) bool

//go:linkname replicaSetName k8s.io/kubernetes/pkg/controller/deployment.generateReplicaSetName
func replicaSetName(deployment, hash string) string

//go:linkname cronJobName k8s.io/kubernetes/pkg/controller/cronjob.getJobName
func cronJobName(*batchv1.CronJob, time.Time) string

//go:linkname indexedPodName k8s.io/kubernetes/pkg/controller/job.podGenerateNameWithIndex
func indexedPodName(job string, index int) string
