/**
 * `npm run helm:render`: what Helm makes of the chart, with everything switched on, as `deploy/helm/rendered.yaml`, and whether Kubernetes
 * knows every field of it. Needs `helm` and `kubernetes-validate` (PyPI) on the PATH, or their paths as arguments.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './lib/processes.mjs'
import { digest, root, TaskError, task } from './lib/project.mjs'

const [helm = 'helm', validator = 'kubernetes-validate'] = process.argv.slice(2)
/** The oldest version that the chart is for, and a recent one. */
const versions = ['1.31', '1.36']
/** The chart with nothing but what must be set, and with everything. */
const given = ['--set', 'publicUrl=https://ai.example.com']
const secret = ['--set', `database.url=postgres://parley@db/parley,masterKey=${'ab'.repeat(32)}`]
const everything = [
  ...['--set', 'existingSecret=mine,ingress.enabled=true,ingress.host=ai.example.com,ingress.tlsSecret=tls,autoscaling.enabled=true'],
  ...['--set', 'config=groups: {},env.PARLEY_LOG=debug,data.storageClass=fast'],
]

async function rendered(name, values) {
  const { code, output } = await run(helm, [
    'template',
    name,
    'deploy/helm/parley',
    '--kube-version',
    `${versions[0]}.0`,
    ...given,
    ...values,
  ])
  if (code !== 0) throw new TaskError(`${output}\nThe chart could not be rendered.`)
  return output
}

/** Throws where a document breaks the schema of its kind. */
async function validate(file) {
  for (const version of versions) {
    const { code, output } = await run(validator, ['--kubernetes-version', version, '--strict', file])
    if (code !== 0) throw new TaskError(`${output}\nThe rendered chart is not valid for Kubernetes ${version}.`)
  }
}

await task(async () => {
  const texts = [await rendered('least', secret), await rendered('whole', everything)]
  const file = join(root, 'deploy/helm/rendered.yaml')
  const made = `# Made by npm run helm:render from a chart with this digest; read by e2e/deploy.test.ts.\n# ${digest(['deploy/helm/parley'])}\n`
  const valid = `# Valid for Kubernetes ${versions.join(' and ')}, by the schemas of kubernetes-validate.\n`
  writeFileSync(file, made + texts.join(''))
  await validate(file)
  writeFileSync(file, made + valid + texts.join(''))
})
