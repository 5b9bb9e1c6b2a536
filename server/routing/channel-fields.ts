/** Checks of a channel that its schema cannot express, and the mapping of fields to columns. Pure: its dependencies are passed in. */
import type { ChannelPatch, NewChannel } from '#shared/console/channel'
import type { PriceFields } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import type { ChannelFields, ChannelRecord } from '#store/channels/channels'
import type { Vendor } from '#vendors/vendor'
import type { Channel } from './channel.ts'
import { directly } from './channel-route.ts'

/** Checks that other modules provide; each answers synchronously or throws. */
export interface ChannelRules {
  /** Throws `invalid_value` with param `baseUrl`. */
  assertAddress(url: string): void
  /** Throws `invalid_value` with param `proxy`. */
  assertProxy(url: string): void
  /** Throws `invalid_value` with a param in `tls`. */
  assertTls(tls: NonNullable<ChannelPatch['tls']>): void
  /** Throws GatewayError when the price is empty or negative. */
  assertPrice(fields: PriceFields): void
  groupExists(name: string): boolean
}

/** A service account's JSON file is a key only for vendors that sign with it; elsewhere it could not be put in a header. */
function refuseDocuments(keys: NonNullable<ChannelPatch['keys']>, param: string): void {
  const at = keys.findIndex((key) => /\s/.test(typeof key === 'string' ? key : key.key))
  if (at >= 0) throw invalid('A key of this vendor must not contain white space.', `${param}.${at}`)
}

/** Names that could reach an object's prototype. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/** Set by our HTTP client, by HTTP itself, or required by cloud metadata services. */
const forbiddenHeaders =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-(length|type|encoding)|accept-encoding|proxy-.*|metadata|metadata-flavor|x-aws-ec2-metadata-token.*|x-forwarded-.*|forwarded)$/i
/** Secrets belong in `keys`, where they are sealed. */
const secretHeaders = /^(authorization|cookie|api-key|x-api-key|x-goog-api-key)$/i

/** Checks all fields of a new channel. Throws GatewayError with the field as `param`. */
export function checkNewChannel(vendor: Vendor, channel: NewChannel, rules: ChannelRules): void {
  if (channel.baseUrl === undefined && vendor.baseUrl === undefined) {
    throw new GatewayError('missing_field', 'This vendor has no address of its own: the channel must name its baseUrl.', {
      param: 'baseUrl',
    })
  }
  for (const option of vendor.needs ?? []) {
    if (!channel.options?.[option])
      throw new GatewayError('missing_field', 'This vendor needs this option.', { param: `options.${option}` })
  }
  checkChannelFields(vendor, { ...channel, keys: channel.keys ?? [] }, rules)
}

/** Checks the fields that are present. Throws GatewayError with the field as `param`. */
export function checkChannelFields(vendor: Vendor, fields: ChannelPatch, rules: ChannelRules): void {
  if (fields.baseUrl !== undefined) rules.assertAddress(fields.baseUrl)
  if (fields.proxy !== undefined && !['', directly].includes(fields.proxy)) rules.assertProxy(fields.proxy)
  if (fields.tls !== undefined) rules.assertTls(fields.tls)
  if (fields.keys?.length === 0 && !vendor.keyless) {
    throw new GatewayError('missing_field', 'This vendor needs at least one key.', { param: 'keys' })
  }
  if (vendor.auth !== 'google-service-account') {
    refuseDocuments(fields.keys ?? [], 'keys')
    refuseDocuments(fields.addKeys ?? [], 'addKeys')
  }
  checkModels(fields.models ?? [])
  for (const [index, name] of (fields.groups ?? []).entries()) {
    if (!rules.groupExists(name)) throw invalid('There is no such group.', `groups.${index}`)
  }
  for (const map of ['headers', 'options', 'costs'] as const) refuseReserved(fields[map], map)
  refuseReserved(fields.params?.set, 'params.set')
  checkHeaders(fields.headers ?? {})
  checkCosts(fields.costs ?? {}, rules)
}

function checkModels(models: NewChannel['models']): void {
  const names = new Set<string>()
  for (const [index, model] of models.entries()) {
    const name = typeof model === 'string' ? model : model.name
    if (names.has(name)) throw invalid('This model is listed more than once.', `models.${index}`)
    names.add(name)
    if (typeof model !== 'string') refuseReserved(model.capabilities, `models.${index}.capabilities`)
  }
}

function checkHeaders(headers: Record<string, string>): void {
  for (const name of Object.keys(headers)) {
    if (forbiddenHeaders.test(name)) throw invalid('This header cannot be set by a channel.', `headers.${name}`)
    if (secretHeaders.test(name)) throw invalid('Secrets must not be stored in headers: use keys, which are encrypted.', `headers.${name}`)
  }
}

function checkCosts(costs: Record<string, PriceFields>, rules: ChannelRules): void {
  for (const price of Object.values(costs)) {
    try {
      rules.assertPrice(price)
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw new GatewayError(thrown.code, thrown.message, { param: 'costs', cause: thrown })
      throw thrown
    }
  }
}

function refuseReserved(map: object | undefined, param: string): void {
  if (map && Object.keys(map).some((name) => reserved.has(name))) throw invalid('This name is reserved.', param)
}

const invalid = (message: string, param: string) => new GatewayError('invalid_value', message, { param })

/** The columns set by the given fields; absent fields are left out. */
export function columnsOf(fields: ChannelPatch): Partial<ChannelFields> {
  const { keys: _sealedElsewhere, addKeys: _added, removeKeys: _removed, groups, proxy, ...rest } = fields
  return { ...rest, ...(proxy !== undefined && { proxy: proxy === '' ? null : proxy }), ...(groups && { groups: [...new Set(groups)] }) }
}

/** All columns of a channel, defaults filled in. */
export function wholeColumns(channel: NewChannel): Omit<ChannelFields, 'id' | 'createdAt' | 'managed'> {
  return {
    baseUrl: null,
    speaks: null,
    operations: null,
    groups: ['default'],
    priority: 0,
    weight: 1,
    enabled: true,
    strict: false,
    systemPrompt: null,
    headers: {},
    params: {},
    timeouts: {},
    options: {},
    costs: {},
    foreignState: 'deny',
    proxy: null,
    tls: {},
    tags: [],
    ...columnsOf(channel),
    name: channel.name,
    vendor: channel.vendor,
    models: channel.models,
  }
}

/**
 * A changed URL, proxy or authority requires the keys again, so that somebody who may edit a channel cannot redirect its key. Throws
 * `key_required`.
 */
export function requireKeys({ channel, record }: { channel: Channel; record: ChannelRecord }, { keys, ...fields }: ChannelPatch): void {
  const isOther = fields.baseUrl !== undefined && fields.baseUrl !== channel.baseUrl
  const isProxied = fields.proxy !== undefined && !['', directly, record.proxy].includes(fields.proxy)
  const believes = fields.tls?.ca !== undefined && !['', record.tls.ca].includes(fields.tls.ca)
  if ((isOther || isProxied || believes) && channel.keys.length > 0 && keys === undefined) {
    throw new GatewayError('key_required', 'Changing the address, the proxy or the authorities requires entering the keys again.', {
      param: 'keys',
    })
  }
}
