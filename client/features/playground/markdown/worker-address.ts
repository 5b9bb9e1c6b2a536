/** The workers of this room. The page allows scripts only through named Trusted Types policies; this room's allows two URLs. */
import diagramWorker from './diagram-worker.ts?worker&url'
import parseWorker from './parse-worker.ts?worker&url'

const addresses = { parse: parseWorker, diagram: diagramWorker } as const

interface Policies {
  trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(name: string): string }): { createScriptURL(name: string): string } }
}

const addressOf = (name: string): string => addresses[name as keyof typeof addresses]
const policy = (globalThis as Policies).trustedTypes?.createPolicy('markdown', { createScriptURL: addressOf })

/** Starts a worker. Throws if the browser does not support workers. */
export const startWorker = (name: keyof typeof addresses): Worker =>
  new Worker(policy?.createScriptURL(name) ?? addresses[name], { type: 'module' })
