/**
 * LiteLLM's `config.yaml`, parsed, to the sections of a parley.yaml. Pure. Deployments that share vendor, address and key become one
 * channel; `os.environ/NAME` becomes `${NAME}`. What its database holds (teams, virtual keys, spend) is not in that file.
 */
import { movedDecimal } from '#shared/catalogue-file'
import type { NewChannel } from '#shared/console/channel'
import type { PriceFields } from '#shared/console/price'
import type { Fallback } from '#shared/console/settings'
import type { VendorId } from '#shared/ids'
import { accountOf, fromEnvironment } from './litellm-account.ts'
import { type Moved, nothingMoved, uniqueNames } from './moved.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown) => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')

/** Its provider names that correspond to a vendor here. */
const vendors: Readonly<Record<string, VendorId>> = {
  ...{ openai: 'openai', 'text-completion-openai': 'openai', azure: 'azure-openai', anthropic: 'anthropic', gemini: 'gemini' },
  ...{
    vertex_ai: 'vertex',
    bedrock: 'bedrock',
    cohere: 'cohere',
    cohere_chat: 'cohere',
    jina_ai: 'jina',
    mistral: 'mistral',
    groq: 'groq',
  },
  ...{ deepseek: 'deepseek', xai: 'xai', openrouter: 'openrouter', together_ai: 'together', fireworks_ai: 'fireworks' },
  ...{ perplexity: 'perplexity', ollama: 'ollama', ollama_chat: 'ollama', hosted_vllm: 'vllm', databricks: 'databricks', voyage: 'voyage' },
  ...{
    nvidia_nim: 'nvidia',
    cerebras: 'cerebras',
    deepinfra: 'deepinfra',
    sambanova: 'sambanova',
    moonshot: 'moonshot',
    replicate: 'replicate',
  },
}

/** Parameters of a deployment that are handled. */
const looked = new Set('model api_base timeout stream_timeout weight'.split(' '))
const costs: readonly (readonly [from: string, to: Exclude<keyof PriceFields, 'tiers'>, places: number])[] = [
  ['input_cost_per_token', 'input', 6],
  ['output_cost_per_token', 'output', 6],
  ['cache_read_input_token_cost', 'cacheRead', 6],
  ['cache_creation_input_token_cost', 'cacheWrite5m', 6],
  ['input_cost_per_second', 'second', 0],
]

/** The sections. Throws an Error for anything that is not such a file. */
export function fromLiteLlm(file: unknown): Moved {
  if (!isObject(file) || !Array.isArray(file.model_list)) throw new Error('This is not a config.yaml of LiteLLM: it has no model_list.')
  const moved = nothingMoved()
  const remark = (about: string, field: string, why: string) => void moved.remarks.push({ about, field, why })
  const nameOf = uniqueNames()
  const channels = new Map<string, NewChannel>()

  for (const entry of file.model_list) {
    const { model_name: named, litellm_params: given, model_info: info } = isObject(entry) ? entry : {}
    const about = `model ${text(named)}`
    const params = isObject(given) ? given : {}
    const [first = '', ...rest] = text(params.model).split('/')
    const known = vendors[first]
    const upstream = known !== undefined && rest.length > 0 ? rest.join('/') : text(params.model)
    const base = fromEnvironment(text(params.api_base))
    const vendor: VendorId =
      known === 'openai' || (known === undefined && base !== '') ? (base === '' ? 'openai' : 'openai-compatible') : (known ?? 'openai')
    if (text(named) === '' || upstream === '') {
      remark(about, 'model', 'it has no name or no model: left out')
      continue
    }
    if (`${text(named)}${upstream}`.includes('*')) {
      remark(about, 'model', 'stands for many models: name those that you use')
      continue
    }
    if (known === undefined && rest.length > 0 && base === '') {
      remark(about, 'model', `the provider ${first} is not known here, and it has no address: left out`)
      continue
    }
    const { key, options, headers, looked: ofAccount } = accountOf(vendor, params)
    // Here the weight is per account, for all its models.
    const weight = Number.isSafeInteger(params.weight) && Number(params.weight) >= 0 ? Number(params.weight) : undefined
    if (params.weight !== undefined && weight === undefined) remark(about, 'weight', 'must be a whole number here: it is 1')
    const id = JSON.stringify([vendor, base, key, options, headers, weight])
    const seconds = (field: string) => (Number(params[field]) >= 1 ? Number(params[field]) : undefined)
    const [total, firstEvent] = [seconds('timeout'), seconds('stream_timeout')]
    const channel = channels.get(id) ?? {
      name: nameOf(base === '' || base.startsWith('$') ? vendor : new URL(base).hostname),
      vendor,
      models: [],
      ...(base !== '' && { baseUrl: base }),
      ...(key !== '' && { keys: [key] }),
      ...(Object.keys(options).length > 0 && { options }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(weight !== undefined && { weight }),
      ...((total ?? firstEvent) !== undefined && { timeouts: { ...(total && { total }), ...(firstEvent && { firstEvent }) } }),
    }
    if (key === '' && vendor !== 'ollama' && vendor !== 'vllm' && !channels.has(id))
      remark(`channel ${channel.name}`, 'api_key', 'is not in the file, where the program reads it from its environment: add keys')
    if (channels.has(id) && (total ?? channel.timeouts?.total) !== channel.timeouts?.total)
      remark(about, 'timeout', 'differs from that of its account: the first model’s is used')
    channels.set(id, channel)
    if (channel.models.some((model) => (typeof model === 'string' ? model : model.name) === text(named)))
      remark(about, 'model_name', 'stands there twice for one account: the first counts')
    else channel.models.push(text(named) === upstream ? upstream : { name: text(named), upstream })
    priced(text(named), { ...params, ...(isObject(info) ? info : {}) })
    for (const field of Object.keys(params))
      if (!looked.has(field) && !ofAccount.includes(field) && !costs.some(([from]) => from === field)) remark(about, field, whyNot(field))
    for (const field of isObject(info) ? Object.keys(info) : [])
      if (
        !['id', 'db_model', 'created_at', 'updated_at', 'created_by', 'updated_by'].includes(field) &&
        !costs.some(([from]) => from === field)
      )
        remark(about, `model_info.${field}`, 'has no equivalent here')
  }
  moved.channels.push(...channels.values())

  function priced(model: string, from: Json): void {
    const found = costs.flatMap(([name, to, places]) => {
      const amount = from[name] === undefined ? undefined : movedDecimal(String(Number(from[name])), places)
      return amount === undefined ? [] : [[to, amount] as const]
    })
    if (found.length > 0) moved.prices[model] ??= Object.fromEntries(found)
    else if (moved.prices[model] === undefined)
      remark(`model ${model}`, 'price', 'is not in the file: import it from its catalogue with parley import prices')
  }

  const sections = {
    litellm_settings: isObject(file.litellm_settings) ? file.litellm_settings : {},
    router_settings: isObject(file.router_settings) ? file.router_settings : {},
  }
  const causes = { fallbacks: 'error', context_window_fallbacks: 'context', content_policy_fallbacks: 'filter' } as const
  for (const [section, settings] of Object.entries(sections)) {
    for (const [field, value] of Object.entries(settings)) {
      const cause = Object.hasOwn(causes, field) ? causes[field as keyof typeof causes] : undefined
      if (cause === undefined) {
        remark(section, field, whyNot(field))
        continue
      }
      for (const one of list(value).filter(isObject)) {
        for (const [model, others] of Object.entries(one)) {
          const names = list(others)
            .map(text)
            .filter((name) => name !== '')
          const before: Fallback = moved.fallbacks[model] ?? {}
          if (names.length > 0) moved.fallbacks[model] = { ...before, [cause]: names }
        }
      }
    }
  }
  for (const [section, value] of Object.entries(file)) {
    if (['model_list', 'litellm_settings', 'router_settings'].includes(section)) continue
    for (const field of isObject(value) ? Object.keys(value) : ['']) remark(section, field, whyNot(field))
  }
  // Only offered models may be named.
  for (const model of Object.keys(moved.prices)) if (!offers(moved, model)) delete moved.prices[model]
  return moved
}

const offers = ({ channels }: Moved, name: string) =>
  channels.some(({ models }) => models.some((model) => (typeof model === 'string' ? model : model.name) === name))

/** Where to configure the same here, for settings that people will look for. */
function whyNot(field: string): string {
  const elsewhere: Record<string, string> = {
    rpm: 'limits are those of keys, users and groups here; an upstream’s own limits are heeded by themselves',
    tpm: 'limits are those of keys, users and groups here; an upstream’s own limits are heeded by themselves',
    master_key: 'management keys take its place (page Account)',
    database_url: 'DATABASE_URL, a database of Parley’s own',
    num_retries: 'other channels are tried by themselves',
    routing_strategy: 'priorities and weights of channels',
    success_callback: 'OTEL_EXPORTER_OTLP_ENDPOINT (docs/opentelemetry.md)',
    callbacks: 'OTEL_EXPORTER_OTLP_ENDPOINT (docs/opentelemetry.md)',
    vertex_credentials: 'is the path of a file: use its content as the key of the channel',
    failure_callback: 'OTEL_EXPORTER_OTLP_ENDPOINT (docs/opentelemetry.md)',
    drop_params: 'what an upstream does not take is left out and reported; `strict` refuses it',
  }
  return elsewhere[field] ?? 'has no equivalent here'
}
