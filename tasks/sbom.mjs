/**
 * `npm run sbom`: the packages that `npm start` installs, as a CycloneDX 1.6 document on standard output, from package-lock.json alone.
 * With `--dev` those of the tests too.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, task } from './lib/project.mjs'

await task(() => {
  const { name, version, packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const everything = process.argv.includes('--dev')
  const components = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (everything || !dev))
    .map(([path, facts]) => component(path, facts))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version } },
    components: [...new Map(components.map((one) => [one['bom-ref'], one])).values()],
  }
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
})

/** The last package of a path like `node_modules/a/node_modules/@b/c`; an alias says its real name. */
function component(path, { name, version, integrity, license }) {
  const real = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${real.replace(/^@/, '%40')}@${version}`
  const [algorithm, digest] = integrity?.split('-') ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    name: real,
    version,
    purl,
    ...(digest && {
      hashes: [{ alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license && { licenses: [{ expression: license }] }),
  }
}
