/** The files in `deploy`, as far as they can be checked without running them: references exist, and promised settings are present. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: documents of other programs
type Document = any

/** The variables that Parley knows, from the table that is made from its configuration. */
const variables = new Set([...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name))
const unknownIn = (text: string) => [...new Set(text.match(/\bPARLEY_[A-Z_]+\b/g))].filter((name) => !variables.has(name))

test.each([
  ['Containerfile'],
  ['compose.yaml'],
  ['deploy/systemd/parley.service'],
  ['deploy/helm/parley/values.yaml'],
  ['docs/ways-to-run.md'],
])('%s names only variables that Parley reads', (path) => {
  // What compose itself takes from .env.
  expect(unknownIn(read(path)).filter((name) => name !== 'PARLEY_LISTEN')).toEqual([])
})

test('compose: two instances with folders of their own, behind a proxy that knows them both', () => {
  const { services, volumes }: Document = Bun.YAML.parse(read('compose.yaml'))
  const instances = Object.entries<Document>(services).filter(([, { image }]) => image === 'parley')
  expect(instances.map(([name]) => name)).toEqual(['parley-1', 'parley-2'])
  for (const [
    name,
    {
      environment,
      read_only,
      cap_drop,
      stop_grace_period,
      volumes: [data],
    },
  ] of instances) {
    expect([read_only, cap_drop, data.split(':')[1]]).toEqual([true, ['ALL'], '/data'])
    expect(Object.keys(volumes)).toContain(data.split(':')[0])
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(Number(environment.PARLEY_DRAIN_SECONDS) + 30)
    expect(read('deploy/proxy/haproxy.cfg')).toContain(`server ${name} ${name}:3000`)
  }
  expect(
    new Set(
      instances.map(
        ([
          ,
          {
            volumes: [data],
          },
        ]) => data,
      ),
    ).size,
  ).toBe(2)
})

test('the proxy repeats nothing that was sent, and notices a leaving instance before that refuses', () => {
  const text = read('deploy/proxy/haproxy.cfg')
  expect(/^ *retry-on (.*)$/m.exec(text)?.[1]).toBe('conn-failure')
  const [, every, fall] = /check inter (\d+)ms fall (\d+)/.exec(text) ?? []
  expect(Number(fall)).toBeLessThan(3)
  expect(Number(every)).toBeLessThan(10_000)
})

test('the unit waits for the drain and is closed in', () => {
  const text = read('deploy/systemd/parley.service')
  for (const line of [
    'DynamicUser=yes',
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'StateDirectoryMode=0700',
  ])
    expect(text.split('\n')).toContain(line)
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(330)
})

test('the container runs as a user that is not root, with a health check', () => {
  const stage =
    read('Containerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  expect(stage).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  expect(stage).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/parley", "ready"\]$/m)
  expect(stage).toMatch(/^VOLUME \["\/data"\]$/m)
})

/** As `tasks/lib/project.mjs` does it. */
function digest(path: string): string {
  const filesIn = (at: string): string[] =>
    statSync(join(root, at)).isDirectory()
      ? readdirSync(join(root, at))
          .sort()
          .flatMap((name) => filesIn(`${at}/${name}`))
      : [at]
  const hash = createHash('sha256')
  for (const file of filesIn(path)) hash.update(`${file}\0`).update(read(file)).update('\0')
  return hash.digest('hex')
}

const rendered = read('deploy/helm/rendered.yaml')
const documents: Document[] = (Bun.YAML.parse(rendered) as Document[]).filter(Boolean)
const released = (name: 'least' | 'whole') => documents.filter(({ metadata }) => metadata.name.startsWith(`${name}-parley`))
const of = (name: 'least' | 'whole', kind: string): Document => released(name).find((each) => each.kind === kind)

test('what Helm made is of this chart (npm run helm:render)', () => {
  expect(/^# ([0-9a-f]{64})$/m.exec(rendered)?.[1]).toBe(digest('deploy/helm/parley'))
  // What breaks a schema is not rendered.
  expect(rendered).toMatch(/^# Valid for Kubernetes 1\.\d+ and 1\.\d+,/m)
  expect(unknownIn(rendered)).toEqual([])
})

test('the chart has what a release needs, and nothing that was not asked for', () => {
  const kinds = (name: 'least' | 'whole') =>
    released(name)
      .map(({ kind }) => kind)
      .sort()
  const always = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount']
  expect(kinds('least')).toEqual([...always, 'Secret'].sort())
  expect(kinds('whole')).toEqual([...always, 'ConfigMap', 'HorizontalPodAutoscaler', 'Ingress'].sort())
})

test.each(['least', 'whole'] as const)('%s: the migration runs before the rollout, with the secret that is there by then', (name) => {
  const job = of(name, 'Job')
  expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  expect(job.spec.template.spec.containers[0].args).toEqual(['db', 'migrate'])
  const secret = of(name, 'Secret')
  const from = job.spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name
  expect(from).toBe(secret?.metadata.name ?? 'mine')
  if (secret) {
    expect(secret.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(Number(secret.metadata.annotations['helm.sh/hook-weight'])).toBeLessThan(Number(job.metadata.annotations['helm.sh/hook-weight']))
  }
})

test.each(['least', 'whole'] as const)('%s: a pod drains before it is killed, and may do nothing but run', (name) => {
  const { spec } = of(name, 'Deployment').spec.template
  const [container] = spec.containers
  const drain = Number(container.env.find((each: Document) => each.name === 'PARLEY_DRAIN_SECONDS').value)
  const before = Number(container.lifecycle.preStop.exec.command[1])
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + before)
  expect([container.readinessProbe.httpGet.path, container.livenessProbe.httpGet.path]).toEqual(['/readyz', '/healthz'])
  expect(spec.securityContext.runAsNonRoot).toBe(true)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(of(name, 'Deployment').spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 })
  expect(spec.volumes.map((each: Document) => each.name).sort()).toEqual(container.volumeMounts.map((each: Document) => each.name).sort())
})

test.each(['least', 'whole'] as const)('%s: selectors find the pods, and ports are named', (name) => {
  const deployment = of(name, 'Deployment')
  const { labels } = deployment.spec.template.metadata
  const selectors = [
    deployment.spec.selector.matchLabels,
    of(name, 'Service').spec.selector,
    of(name, 'PodDisruptionBudget').spec.selector.matchLabels,
    of(name, 'NetworkPolicy').spec.podSelector.matchLabels,
  ]
  for (const selector of selectors) expect(labels).toMatchObject(selector)
  expect(of(name, 'Job').spec.template.metadata.labels).not.toMatchObject(selectors[0])
  const ports = deployment.spec.template.spec.containers[0].ports.map((each: Document) => each.name)
  expect(ports).toContain(of(name, 'Service').spec.ports[0].targetPort)
  for (const { ports: allowed } of of(name, 'NetworkPolicy').spec.ingress) expect(ports).toContain(allowed[0].port)
})

test('instances are counted by open streams', () => {
  const { spec } = of('whole', 'HorizontalPodAutoscaler')
  expect(spec.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: of('whole', 'Deployment').metadata.name })
  expect(spec.metrics[0].pods.metric.name).toBe('parley_open_streams')
  expect(of('whole', 'Deployment').spec.replicas).toBeUndefined()
})
