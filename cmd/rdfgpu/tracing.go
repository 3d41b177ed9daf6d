package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/rdfgpu/rdfgpu"
)

// lastSpans is how long the sending of what is left may take at the end.
const lastSpans = 5 * time.Second

// tracing sends spans to where the environment says, by the variables that OpenTelemetry's SDKs share; nil where they name no collector. What
// the exporter, the sampler and the batches are told by variables, the libraries read themselves.
func tracing(ctx context.Context, log *slog.Logger) (*sdktrace.TracerProvider, error) {
	wanted, err := tracingWanted(os.Getenv)
	if err != nil || !wanted {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "rdfgpu"), attribute.String("service.version", rdfgpu.DescribeBuild().Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, usageError(fmt.Sprintf("tracing: %v", err))
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("spans are lost", "error", err) }))
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about)), nil
}

// tracingWanted reads the variables that say whether there is tracing at all; the error is about one that asks for what is not here.
func tracingWanted(variable func(string) string) (bool, error) {
	if strings.EqualFold(variable("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	exporter, collector := variable("OTEL_TRACES_EXPORTER"), variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")+variable("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch exporter {
	case "none":
		return false, nil
	case "otlp":
	case "":
		if collector == "" {
			return false, nil
		}
	default:
		return false, usageError(fmt.Sprintf("OTEL_TRACES_EXPORTER is %q: expected otlp or none", exporter))
	}
	if p := cmp.Or(variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), variable("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf"); p != "http/protobuf" {
		return false, usageError(fmt.Sprintf("the protocol for traces is %q: expected http/protobuf (OTEL_EXPORTER_OTLP_TRACES_PROTOCOL)", p))
	}
	return true, nil
}
