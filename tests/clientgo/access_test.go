package clientgo

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func TestWhoAsksIsToldWhoItIsAndWhatItMay(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		self := must(w.typed.AuthenticationV1().SelfSubjectReviews().Create(w.ctx,
			&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))
		expect(t, self.Status.UserInfo.Username, "admin")
		access := must(w.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(w.ctx,
			&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: w.space, Verb: "delete", Group: "apps", Resource: "deployments"},
			}}, metav1.CreateOptions{}))
		expect(t, w.show(access), `
			metadata: {}
			spec:
			  resourceAttributes:
			    group: apps
			    namespace: SPACE
			    resource: deployments
			    verb: delete
			status:
			  allowed: true`)
		local := must(w.typed.AuthorizationV1().LocalSubjectAccessReviews(w.space).Create(w.ctx,
			&authorizationv1.LocalSubjectAccessReview{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.space},
				Spec: authorizationv1.SubjectAccessReviewSpec{
					User: "admin", Groups: []string{"system:masters"},
					ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: w.space, Verb: "get", Resource: "pods"},
				}}, metav1.CreateOptions{}))
		expect(t, w.show(local.Status), "allowed: true")
	})
}

func TestStrangersAreTurnedAway(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	stranger := w.with(func(config *rest.Config) { config.BearerToken = "stranger" })
	_, err := stranger.typed.CoreV1().ConfigMaps(w.space).List(w.ctx, metav1.ListOptions{})
	expect(t, w.refusal(nil, err), "401 Unauthorized: Unauthorized")
}
