/**
 * `npm run helm:render`: what Helm makes of the chart, with everything switched on, as `deploy/helm/rendered.yaml`. Needs `helm` on the
 * PATH, or its path in the first argument.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './lib/processes.mjs'
import { digest, root, TaskError, task } from './lib/project.mjs'

const [helm = 'helm'] = process.argv.slice(2)
/** The chart with nothing but what must be set, and with everything. */
const given = ['--set', 'publicUrl=https://ai.example.com']
const secret = ['--set', `database.url=postgres://parley@db/parley,masterKey=${'ab'.repeat(32)}`]
const everything = [
  ...['--set', 'existingSecret=mine,ingress.enabled=true,ingress.host=ai.example.com,ingress.tlsSecret=tls,autoscaling.enabled=true'],
  ...['--set', 'config=groups: {},env.PARLEY_LOG=debug,data.storageClass=fast'],
]

async function rendered(name, values) {
  const { code, output } = await run(helm, ['template', name, 'deploy/helm/parley', '--kube-version', '1.31.0', ...given, ...values])
  if (code !== 0) throw new TaskError(`${output}\nThe chart could not be rendered.`)
  return output
}

await task(async () => {
  const texts = [await rendered('least', secret), await rendered('whole', everything)]
  const head = `# Made by npm run helm:render from a chart with this digest; read by e2e/deploy.test.ts.\n# ${digest(['deploy/helm/parley'])}\n`
  writeFileSync(join(root, 'deploy/helm/rendered.yaml'), head + texts.join(''))
})
