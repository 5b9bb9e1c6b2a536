import { expect, test } from 'bun:test'
import { telemetrySettings } from './settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

test('nothing is sent where no collector is named, or it is switched off', () => {
  expect(telemetrySettings({})).toBeUndefined()
  expect(telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined()
  expect(telemetrySettings({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  expect(telemetrySettings({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).toBeUndefined()
})

test('one signal alone, by its own address or by switching off the other', () => {
  expect(telemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x/' })).toMatchObject({ traces: true, metrics: false })
  expect(telemetrySettings({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({ traces: false, metrics: true })
})

test('the name of the service, and what else is said of it', () => {
  const attributes = { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20b, service.name = two ,bad' }
  expect(telemetrySettings(endpoint)).toMatchObject({ serviceName: 'parley', resource: {}, metricsEveryMs: 60_000 })
  expect(telemetrySettings({ ...endpoint, ...attributes })).toMatchObject({
    serviceName: 'two',
    resource: { 'deployment.environment.name': 'a b', 'service.name': 'two' },
  })
  expect(telemetrySettings({ ...endpoint, ...attributes, OTEL_SERVICE_NAME: 'one' })).toMatchObject({ resource: { 'service.name': 'one' } })
})

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_METRIC_EXPORT_INTERVAL', 'soon'],
  ['OTEL_BSP_SCHEDULE_DELAY', '-1'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => telemetrySettings({ ...endpoint, [name]: value })).toThrow(name)
})
