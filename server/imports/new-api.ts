/**
 * new-api and one-api: rows of their tables to the sections of a parley.yaml. Pure: the caller reads the tables. Columns and numbers are
 * those of the projects' public models (`model/channel.go`, `token.go`, `user.go`, `option.go`, and the list of channel types). One
 * unit of quota is 1/500000 USD; a ratio of 1 is 2 USD per million tokens.
 */
import type { NewChannel } from '#shared/console/channel'
import type { PriceFields } from '#shared/console/price'
import type { VendorId } from '#shared/ids'
import { type Moved, nothingMoved, partsOf, plainDecimal, uniqueNames } from './moved.ts'

/** A row as the driver reads it. */
export type Row = Readonly<Record<string, unknown>>

/** The tables that are imported. */
export interface Tables {
  users: readonly Row[]
  tokens: readonly Row[]
  channels: readonly Row[]
  options: readonly Row[]
}

/** Whose channel type numbers these are: they differ from 26 on. */
export type Flavour = 'new-api' | 'one-api'

const common: Readonly<Record<number, VendorId>> = {
  1: 'openai',
  3: 'azure-openai',
  8: 'openai-compatible',
  14: 'anthropic',
  17: 'dashscope',
  20: 'openrouter',
  24: 'gemini',
  25: 'moonshot-cn',
}
const vendors: Record<Flavour, Readonly<Record<number, VendorId>>> = {
  'new-api': {
    ...common,
    ...{ 4: 'ollama', 26: 'zhipu', 27: 'perplexity', 33: 'bedrock', 34: 'cohere', 35: 'minimax', 38: 'jina', 40: 'siliconflow' },
    ...{ 41: 'vertex', 42: 'mistral', 43: 'deepseek', 45: 'volcengine', 46: 'qianfan', 48: 'xai', 56: 'replicate' },
  },
  'one-api': {
    ...common,
    ...{ 16: 'zhipu', 27: 'minimax', 28: 'mistral', 29: 'groq', 30: 'ollama', 33: 'bedrock', 35: 'cohere', 36: 'deepseek', 39: 'together' },
    ...{ 40: 'volcengine', 41: 'novita' },
  },
}
/** Vendors whose keys or options have another form there. */
const otherwise = new Set<VendorId>(['azure-openai', 'bedrock', 'vertex'])

/** Columns that are handled, or irrelevant; any other that is set is reported. */
const known = {
  channel: new Set(
    'id type key status name weight created_time test_time response_time base_url models group used_quota model_mapping priority balance balance_updated_time tag auto_ban test_model openai_organization'.split(
      ' ',
    ),
  ),
  token: new Set(
    'id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota model_limits_enabled model_limits models allow_ips subnet group deleted_at'.split(
      ' ',
    ),
  ),
  user: new Set(
    'id username password display_name role status email quota used_quota request_count group created_at created_time last_login_at deleted_at access_token aff_code aff_count aff_quota aff_history inviter_id verification_code'.split(
      ' ',
    ),
  ),
}

const units = 500_000n
/** USD of units of quota, exactly. */
export function usdOf(quota: unknown): string {
  const amount = BigInt(Math.trunc(Number(quota ?? 0)))
  const nano = (amount * 1_000_000_000n) / units
  const sign = nano < 0n ? '-' : ''
  const size = nano < 0n ? -nano : nano
  return `${sign}${size / 1_000_000_000n}${
    size % 1_000_000_000n === 0n
      ? ''
      : `.${String(size % 1_000_000_000n)
          .padStart(9, '0')
          .replace(/0+$/, '')}`
  }`
}

/** A product of decimals as text with at most nine places. */
const product = (...factors: number[]): string => plainDecimal(factors.reduce((all, one) => all * one, 1))

const isTrue = (value: unknown) => value === true || Number(value) === 1
const isLive = ({ deleted_at: gone }: Row) => gone === null || gone === undefined || gone === ''

/** The sections. `now`: seconds since the epoch. */
export function fromNewApi({ users, tokens, channels, options }: Tables, flavour: Flavour): Moved {
  const moved = nothingMoved()
  const remark = (about: string, field: string, why: string) => void moved.remarks.push({ about, field, why })

  function noteUnknownFields(kind: keyof typeof known, about: string, row: Row): void {
    for (const [column, value] of Object.entries(row)) {
      const isSet =
        value !== null && value !== undefined && value !== '' && value !== 0 && value !== false && value !== '{}' && value !== '0'
      if (isSet && !known[kind].has(column)) remark(about, column, 'has no equivalent here')
    }
  }

  const group = (name: unknown): string => {
    const wanted = String(name ?? '').trim() || 'default'
    moved.groups[wanted] ??= {}
    return wanted
  }

  const settings = new Map(options.map((row) => [String(row.key), String(row.value ?? '')]))
  const numbersIn = (name: string): Record<string, number> => {
    const text = settings.get(name)
    if (text === undefined || text === '') return {}
    try {
      const found = Object.entries(JSON.parse(text) as Record<string, unknown>)
      return Object.fromEntries(found.flatMap(([key, value]) => (typeof value === 'number' && value >= 0 ? [[key, value]] : [])))
    } catch {
      remark(`option ${name}`, 'value', 'is not JSON')
      return {}
    }
  }

  for (const [name, ratio] of Object.entries(numbersIn('GroupRatio'))) moved.groups[name] = { ratio: product(ratio) }

  const nameOfChannel = uniqueNames()
  const offered = new Set<string>()
  for (const row of channels.filter(isLive)) {
    const name = nameOfChannel(String(row.name ?? ''))
    const about = `channel ${name}`
    const vendor = vendors[flavour][Number(row.type)]
    const baseUrl = String(row.base_url ?? '').trim()
    const models = partsOf(row.models, ',')
    if (vendor === undefined && baseUrl === '') {
      remark(about, 'type', `${row.type} is no vendor that is known here, and it has no address: left out`)
      continue
    }
    if (models.length === 0) {
      remark(about, 'models', 'it has none: left out')
      continue
    }
    if (vendor === undefined) remark(about, 'type', `${row.type} is no vendor that is known here: taken as openai-compatible`)
    if (vendor === 'openai-compatible' && baseUrl === '') {
      remark(about, 'base_url', 'it has none: left out')
      continue
    }
    if (vendor !== undefined && otherwise.has(vendor))
      remark(about, 'key', `${vendor} wants options of its own (docs/operations.md): look at it before use`)
    const mapping = mappingIn(row.model_mapping, (why) => remark(about, 'model_mapping', why))
    for (const model of models) offered.add(model)
    const isOn = Number(row.status ?? 1) === 1
    const channel: NewChannel = {
      name,
      vendor: vendor ?? 'openai-compatible',
      models: models.map((model) => (mapping[model] === undefined ? model : { name: model, upstream: mapping[model] })),
      groups: partsOf(row.group ?? 'default', ',').map(group),
      keys: partsOf(row.key, '\n'),
      ...(baseUrl !== '' && { baseUrl }),
      ...(Number(row.priority ?? 0) !== 0 && { priority: Number(row.priority) }),
      // There, 0 is an ordinary weight.
      ...(Number(row.weight ?? 0) > 1 && { weight: Number(row.weight) }),
      ...(typeof row.tag === 'string' && row.tag !== '' && { tags: [row.tag] }),
      ...(!isOn && { enabled: false }),
    }
    moved.channels.push(channel)
    noteUnknownFields('channel', about, row)
  }

  const nameOfUser = uniqueNames()
  const userNames = new Map<string, string>()
  for (const row of users.filter(isLive)) {
    const name = nameOfUser(String(row.username ?? ''))
    const about = `user ${name}`
    if (Number(row.status ?? 1) !== 1) {
      remark(about, 'status', 'is switched off there: left out with all tokens')
      continue
    }
    userNames.set(String(row.id), name)
    const balance = usdOf(row.quota)
    moved.users.push({
      name,
      role: Number(row.role ?? 1) >= 10 ? 'admin' : 'user',
      group: group(row.group),
      ...(balance.startsWith('-') || balance === '0' ? {} : { balance }),
    })
    if (balance.startsWith('-')) remark(about, 'quota', `is ${balance} USD: begins at 0`)
    if (row.password)
      remark(about, 'password', 'its hash is of another kind: an administrator sets a new one, or people sign in by single sign-on')
    if (row.email) remark(about, 'email', 'is not stored here')
    noteUnknownFields('user', about, row)
  }

  for (const row of tokens.filter(isLive)) {
    const user = userNames.get(String(row.user_id))
    const about = `token ${String(row.name ?? row.id)}`
    const key = `sk-${String(row.key ?? '')
      .trim()
      .replace(/^sk-/, '')}`
    if (user === undefined) {
      remark(about, 'user_id', 'belongs to nobody who was taken over: left out')
      continue
    }
    if (!/^sk-[\x21-\x7e]{8,200}$/.test(key)) {
      remark(about, 'key', 'cannot be a key here: left out')
      continue
    }
    const expires = Number(row.expired_time ?? -1)
    const models = isTrue(row.model_limits_enabled) ? partsOf(row.model_limits, ',') : partsOf(row.models, ',')
    const addresses = [...partsOf(row.allow_ips, /[\n,]/), ...partsOf(row.subnet, ',')]
    const ofGroup = String(row.group ?? '').trim()
    if (ofGroup === 'auto') remark(about, 'group', 'auto: its user’s group')
    const remains = usdOf(row.remain_quota)
    moved.keys.push({
      name:
        String(row.name ?? '')
          .trim()
          .slice(0, 120) || `token ${row.id}`,
      user,
      key,
      ...(ofGroup !== '' && ofGroup !== 'auto' && { group: group(ofGroup) }),
      ...(models.length > 0 && { models }),
      ...(expires > 0 && { expiresAt: new Date(expires * 1000).toISOString() }),
      // 4: exhausted, which its budget expresses here.
      ...(![1, 4].includes(Number(row.status ?? 1)) && { enabled: false }),
      ...(!isTrue(row.unlimited_quota) && { budget: { total: remains.startsWith('-') ? '0' : remains } }),
      ...(addresses.length > 0 && { addresses }),
    })
    noteUnknownFields('token', about, row)
  }
  // The owner of a key must be able to use its group.
  for (const { user, group: named } of moved.keys) {
    const owner = moved.users.find(({ name }) => name === user)
    if (owner && named && named !== owner.group) owner.groups = [...new Set([...(owner.groups ?? [owner.group ?? 'default']), named])]
  }

  const [ratios, completions, caches, flat] = ['ModelRatio', 'CompletionRatio', 'CacheRatio', 'ModelPrice'].map(numbersIn)
  for (const model of [...offered].sort()) {
    const price = priceOf(model, ratios ?? {}, completions ?? {}, caches ?? {}, flat ?? {})
    if (price) moved.prices[model] = price
    else
      remark(`model ${model}`, 'ModelRatio', 'has no price in its options: set one, or import it from a catalogue (parley import prices)')
    if (price && price.request === undefined && completions?.[model] === undefined)
      remark(
        `model ${model}`,
        'CompletionRatio',
        'is not in its options, where the program has a built-in rule: output is priced like input, check it',
      )
  }
  for (const name of settings.keys())
    if (/(?:Secret|Token|Password|Key)$/.test(name)) remark(`option ${name}`, 'value', 'is a secret of that program')
  return moved
}

function priceOf(
  model: string,
  ratios: Record<string, number>,
  completions: Record<string, number>,
  caches: Record<string, number>,
  flat: Record<string, number>,
): PriceFields | undefined {
  const each = flat[model]
  if (each !== undefined) return { input: '0', output: '0', request: product(each) }
  const ratio = ratios[model]
  if (ratio === undefined) return undefined
  const cache = caches[model]
  return {
    input: product(ratio, 2),
    output: product(ratio, 2, completions[model] ?? 1),
    ...(cache !== undefined && { cacheRead: product(ratio, 2, cache) }),
  }
}

function mappingIn(value: unknown, complain: (why: string) => void): Record<string, string> {
  const text = String(value ?? '').trim()
  if (text === '' || text === '{}') return {}
  try {
    const found = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return Object.fromEntries(found.flatMap(([name, upstream]) => (typeof upstream === 'string' ? [[name, upstream]] : [])))
  } catch {
    complain('is not JSON')
    return {}
  }
}
