/**
 * OpenAI's models in Azure. The base URL is the resource (`https://NAME.openai.azure.com`), with or without the path that
 * its examples show. Without the option `apiVersion` the newer path without versions is used, where the model of the body is
 * the deployment; a dated version means the older paths, where the deployment (option `deployment`, else the model's
 * upstream name) stands in the path for the operations that OpenAI's SDK puts there.
 * Read: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle through openai-node's docs/azure.md, and
 * the list of operations with a deployment in openai 7.55 `azure.mjs`.
 */
import { badOption, cleanBase, modelSegment, notServed } from '../address.ts'
import { openaiFacts } from '../models/gpt.ts'
import { openaiPath } from '../openai-paths.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'

const dated = /^\d{4}-\d{2}-\d{2}(-[a-z]+)?$/
/** Values that select the unversioned path; it takes them as a query parameter. */
const undated = new Set(['v1', 'latest', 'preview'])

function endpoint(baseUrl: string, target: EndpointTarget): string {
  const resource = cleanBase(baseUrl).replace(/(?<!\/)\/openai(\/v1|\/deployments(\/[^/]+)?)?$/, '')
  const path = openaiPath(target)
  const { apiVersion, deployment = target.model } = target.options
  if (apiVersion === undefined) return `${resource}/openai/v1/${path}`
  if (undated.has(apiVersion)) return `${resource}/openai/v1/${path}${path.includes('?') ? '&' : '?'}api-version=${apiVersion}`
  if (!dated.test(apiVersion)) throw badOption()
  if (target.variant === 'call') throw notServed()
  const session = target.variant === 'transcription' ? 'intent=transcription' : `deployment=${modelSegment(deployment)}`
  if (target.operation === 'realtime') return `${resource}/openai/realtime?api-version=${apiVersion}&${session}`
  const owner = path === 'responses' || path === 'moderations' ? '' : `deployments/${modelSegment(deployment)}/`
  return `${resource}/openai/${owner}${path}?api-version=${apiVersion}`
}

/** OpenAI's models in Azure. */
export const azureOpenai: Vendor = {
  id: 'azure-openai',
  title: 'Azure OpenAI',
  speaks: ['chat', 'responses'],
  operations: ['generate', 'embed', 'image', 'transcribe', 'speak', 'realtime'],
  baseUrl: undefined,
  keyless: false,
  auth: 'api-key',
  endpoint,
  capabilities: openaiFacts,
}
