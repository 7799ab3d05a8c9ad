package cases

import (
	"bytes"
	"reflect"
	"sort"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	customv1beta1 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta1"
	customv1beta2 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalv1beta1 "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// Known is every type of our schema, with upstream's codecs for them.
type Known struct {
	scheme *runtime.Scheme
	// decoders by the name of a format; the ones for text complain of unknown and repeated fields.
	decoders map[string]runtime.Decoder
	proto    runtime.Encoder
}

func NewKnown() *Known {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, metav1.AddMetaToScheme,
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		imagepolicyv1alpha1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
		metricsv1.AddToScheme, metricsv1beta1.AddToScheme,
		customv1beta1.AddToScheme, customv1beta2.AddToScheme, externalv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			Fatal("%v", err)
		}
	}
	text := func(yaml bool) runtime.Decoder {
		return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
			json.SerializerOptions{Yaml: yaml, Strict: true})
	}
	proto := protobuf.NewSerializer(scheme, scheme)
	return &Known{
		scheme:   scheme,
		decoders: map[string]runtime.Decoder{"json": text(false), "yaml": text(true), "protobuf": proto},
		proto:    proto,
	}
}

// Kind is a Go type with the names it goes by: options and the like are registered with every
// group.
type Kind struct {
	GoType reflect.Type
	Names  []schema.GroupVersionKind
}

// Kinds lists every type once, in a stable order.
func (k *Known) Kinds() []Kind {
	byType := map[reflect.Type]*Kind{}
	for gvk, goType := range k.scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		if byType[goType] == nil {
			byType[goType] = &Kind{GoType: goType}
		}
		byType[goType].Names = append(byType[goType].Names, gvk)
	}
	var all []Kind
	for _, one := range byType {
		sort.Slice(one.Names, func(i, j int) bool { return one.Names[i].String() < one.Names[j].String() })
		all = append(all, *one)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i].GoType, all[j].GoType
		return a.PkgPath()+"."+a.Name() < b.PkgPath()+"."+b.Name()
	})
	return all
}

// Decode reads an object into a fresh value of its Go type.
func (k *Known) Decode(format string, data []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	into, err := k.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	object, _, err := k.decoders[format].Decode(data, &gvk, into)
	return object, err
}

// EncodeProto writes an object with its envelope; nil if protobuf has no form of it.
func (k *Known) EncodeProto(object runtime.Object) []byte {
	if _, ok := object.(interface{ Marshal() ([]byte, error) }); !ok {
		return nil
	}
	var out bytes.Buffer
	if err := k.proto.Encode(object, &out); err != nil {
		Fatal("%T: %v", object, err)
	}
	return out.Bytes()
}
