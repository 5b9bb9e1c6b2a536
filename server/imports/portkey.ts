/**
 * A config of Portkey's gateway, parsed JSON, to the sections of a parley.yaml. Pure. Fields are those of the project's public schema and
 * pages. Its targets become channels: a fallback's order their priorities, a load balance's weights theirs.
 */
import type { NewChannel } from '#shared/console/channel'
import type { VendorId } from '#shared/ids'
import { isObject, textOf } from './litellm-rows.ts'
import { type Moved, nothingMoved, uniqueNames } from './moved.ts'

type Json = Record<string, unknown>

/** Its provider names that correspond to a vendor here. */
const vendors: Readonly<Record<string, VendorId>> = {
  ...{ openai: 'openai', anthropic: 'anthropic', google: 'gemini', cohere: 'cohere', jina: 'jina', bedrock: 'bedrock' },
  ...{ 'azure-openai': 'azure-openai', 'vertex-ai': 'vertex', 'mistral-ai': 'mistral', 'together-ai': 'together', groq: 'groq' },
  ...{ 'fireworks-ai': 'fireworks', 'perplexity-ai': 'perplexity', deepseek: 'deepseek', openrouter: 'openrouter', ollama: 'ollama' },
  ...{ deepinfra: 'deepinfra', cerebras: 'cerebras', 'x-ai': 'xai', sambanova: 'sambanova', moonshot: 'moonshot', voyage: 'voyage' },
}
/** Vendors whose keys or options have another form there. */
const otherwise = new Set<VendorId>(['azure-openai', 'bedrock', 'vertex'])

const looked = new Set('provider api_key virtual_key custom_host override_params weight request_timeout strategy targets name'.split(' '))
const elsewhere: Readonly<Record<string, string>> = {
  retry: 'other channels are tried by themselves',
  cache: 'answers are not cached here',
  input_guardrails: 'has no equivalent here',
  output_guardrails: 'has no equivalent here',
}

/** A target at the end of a path. */
interface Leaf {
  target: Json
  /** Smaller ones are tried first. */
  rank: number
}

/** The sections. `asked`: models that clients request, where targets name none. Throws an Error for anything that is not such a config. */
export function fromPortkey(file: unknown, asked: readonly string[]): Moved {
  const config = plain(file)
  if (!isObject(config) || !(Array.isArray(config.targets) || 'provider' in config || 'virtual_key' in config))
    throw new Error('This is no config of Portkey: it has neither targets nor a provider.')
  const moved = nothingMoved()
  const remark = (about: string, field: string, why: string) => void moved.remarks.push({ about, field, why })
  const leaves = leavesOf(config, 'config', 0, remark)
  const overridden = leaves.flatMap(({ target }) => modelOf(target) || [])
  const models = asked.length > 0 ? asked : overridden.slice(0, 1)
  if (models.length === 0) throw new Error('No target names a model: say with --models which ones clients ask for.')
  if (asked.length === 0) remark('config', 'model', `clients request ${models[0]}, the first that a target names; change it with --models`)

  const lowest = Math.max(0, ...leaves.map(({ rank }) => rank))
  const nameOf = uniqueNames()
  for (const { target, rank } of leaves) {
    const provider = textOf(target.provider).replace(/^@/, '')
    const address = textOf(target.custom_host)
    const vendor = vendors[provider] ?? (address === '' ? undefined : 'openai-compatible')
    const virtual = textOf(target.virtual_key) || (textOf(target.provider).startsWith('@') ? provider : '')
    const name = nameOf(textOf(target.name) || provider || virtual)
    const about = `channel ${name}`
    if (vendor === undefined) {
      const why =
        provider === '' || virtual !== '' ? 'is stored there and its provider is not in the file' : `${provider} is not known here`
      remark(about, virtual === '' ? 'provider' : 'virtual_key', `${why}, and there is no address: left out`)
      continue
    }
    if (otherwise.has(vendor)) remark(about, 'api_key', `${vendor} wants options of its own (docs/operations.md): look at it before use`)
    const key = textOf(target.api_key) || variable(virtual || provider)
    if (textOf(target.api_key) === '') remark(about, 'api_key', `is not in the file: set ${key} in the environment`)
    const { model: _, ...set } = isObject(target.override_params) ? target.override_params : {}
    const upstream = modelOf(target)
    const seconds = Math.ceil(Number(target.request_timeout ?? 0) / 1000)
    const weight = Number(target.weight ?? 1)
    const channel: NewChannel = {
      name,
      vendor,
      keys: [key],
      models: models.map((model) => (upstream === '' || upstream === model ? model : { name: model, upstream })),
      ...(address !== '' && { baseUrl: address }),
      ...(lowest > 0 && { priority: lowest - rank }),
      // Integers here; there also fractions.
      ...(weight !== 1 && weight >= 0 && { weight: Math.round(weight < 1 ? weight * 100 : weight) }),
      ...(Object.keys(set).length > 0 && { params: { set } }),
      ...(seconds >= 1 && { timeouts: { total: seconds } }),
    }
    moved.channels.push(channel)
    for (const field of Object.keys(target)) if (!looked.has(field)) remark(about, field, elsewhere[field] ?? 'has no equivalent here')
  }
  for (const model of models) remark(`model ${model}`, 'price', 'is not in the file: import it from a catalogue with parley import prices')
  return moved
}

const modelOf = (target: Json) => textOf(isObject(target.override_params) ? target.override_params.model : undefined)

const variable = (name: string) =>
  `\${${`${name}_key`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(\d)/, '_$1')}}`

/** Names in either spelling, as this file reads them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const spelt = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [spelt(name), spelt(name) === 'override_params' ? part : plain(part)]),
  )
}

function leavesOf(config: Json, about: string, rank: number, remark: (about: string, field: string, why: string) => void): Leaf[] {
  if (!Array.isArray(config.targets)) return [{ target: config, rank }]
  const strategy = isObject(config.strategy) ? config.strategy : {}
  const mode = textOf(strategy.mode) || 'single'
  if (!['single', 'loadbalance', 'fallback'].includes(mode))
    remark(about, 'strategy', `${mode} has no equivalent here: its targets are equals`)
  for (const field of Object.keys(strategy))
    if (field !== 'mode') remark(about, `strategy.${field}`, 'what is tried again is known from the cause, and from health')
  for (const field of Object.keys(config))
    if (!['strategy', 'targets', 'name', 'weight'].includes(field))
      remark(about, field, elsewhere[field] ?? 'of several targets has no equivalent here')
  const targets = config.targets.filter(isObject)
  const taken = mode === 'single' ? targets.slice(0, 1) : targets
  if (taken.length < targets.length) remark(about, 'targets', 'only the first is asked there: the others are left out')
  let next = rank
  return taken.flatMap((target, at) => {
    const inside = leavesOf(target, `${about} target ${at + 1}`, mode === 'fallback' ? next : rank, remark)
    if (mode === 'loadbalance' && inside.some((leaf) => leaf.rank > rank))
      remark(about, 'targets', 'a fallback inside a load balance is one for all: its later targets come after every first one')
    next = Math.max(next, ...inside.map((leaf) => leaf.rank)) + 1
    return inside
  })
}
