/** Parley's server and client with nothing between: what no gateway on this runtime gets below. */
import { join } from 'node:path'
import { pathOf, subjectOf } from './subject.ts'

/** See `bare-proxy.ts`. */
export const bare = subjectOf({
  name: 'Bun, bare proxy',
  missing: () => undefined,
  ask: ({ client }) => ({ path: pathOf(client), model: 'bench', headers: [] }),
  command: ({ port, providerPort }) => ({
    words: [process.execPath, join(import.meta.dir, 'bare-proxy.ts'), String(port), String(providerPort)],
  }),
})
