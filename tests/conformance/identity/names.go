package main

import (
	"math"
	"strings"
	"time"

	"flyball.example/conformance/cases"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/kubernetes/pkg/controller/history"
)

const nameCount = 300

// name is of any length up to the longest, and somewhat beyond.
func (g *generator) name() string {
	length := cases.Pick(g.Writer, []int{0, 1, 20, 52, 57, 58, 59, 63, 64, 222, 223, 224, 240, 241, 242, 243, 244, 252, 253, 254, 300})
	return strings.Repeat("name-of-an-object.", length/18+1)[:length]
}

// names writes S: text, the same safely encoded; G: base, the generated name without its random
// part; H: prefix, hash, a ReplicaSet's name, a revision's; C: CronJob, seconds, Job; I: Job, index,
// generateName of the pod.
func (g *generator) names() {
	for range nameCount {
		digits := make([]byte, g.Random.IntN(30))
		for i := range digits {
			digits[i] = byte(g.Random.IntN(128))
		}
		g.Line("S", cases.Text(digits), rand.SafeEncodeString(string(digits)))

		base := g.name()
		generated := names.SimpleNameGenerator.GenerateName(base)
		g.Line("G", cases.Text(base), cases.Text(generated[:len(generated)-5]))

		hash := cases.Pick(g.Writer, []string{"", "54f4c57dcb", "6", strings.Repeat("b", 300), strings.Repeat("c", 251),
			strings.Repeat("d", 252), strings.Repeat("f", 253)})
		g.Line("H", cases.Text(base), cases.Text(hash), cases.Text(replicaSetName(base, hash)),
			cases.Text(history.ControllerRevisionName(base, hash)))

		seconds := cases.Pick(g.Writer, []int64{0, 59, 60, -1, -59, -60, -61, 1700000000, math.MaxInt32 * 60, g.Random.Int64N(1 << 40)})
		cronJob := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: base}}
		g.Line("C", cases.Text(base), seconds, cases.Text(cronJobName(cronJob, time.Unix(seconds, 5))))

		index := cases.Pick(g.Writer, []int{0, 9, 10, 99999, math.MaxInt32})
		g.Line("I", cases.Text(base), index, cases.Text(indexedPodName(base, index)))
	}
}
