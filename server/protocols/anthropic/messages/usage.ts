/** Usage as Messages reports it, cumulative and in parts, both ways. */
import type { Delivered, ReportedUsage } from '#canonical/delivered'
import type { LossList } from '#canonical/loss'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { jsonText } from '../frame.ts'

/** Plausible usage, with what had been delivered when it arrived. */
export interface CumulativeUsage extends ReportedUsage {
  /** All figures so far, later ones over earlier ones. */
  raw: Record<string, unknown>
}

/** More tokens than any request can have; larger figures are implausible. */
const absurd = 1e9
const mostRounds = 64

/**
 * Messages’ arithmetic: input tokens exclude cache reads and writes, output tokens include thinking. A stream reports its input first and
 * its output last, so `raw` adds to `before`; the last figure of either side counts, unless that side is missing. Returns `before` when
 * nothing is plausible.
 */
export function readUsage(raw: unknown, delivered: Delivered, before?: CumulativeUsage): CumulativeUsage | undefined {
  if (!isObject(raw)) return before
  const reported = Object.entries(raw).filter(([name, value]) => value !== null && !(before?.raw[name] && isFiller(name, raw)))
  const said: Record<string, unknown> = { ...before?.raw, ...Object.fromEntries(reported) }
  const usage = noUsage()
  usage.provenance = 'provider'
  for (const round of [said, ...compactions(said.iterations)]) if (!addRound(usage, round)) return before
  if (usage.out.total + promptOf(usage) === 0) return before

  const server = isObject(said.server_tool_use) ? said.server_tool_use : {}
  usage.units.searches = count(server.web_search_requests) ?? 0
  if (before && promptOf(usage) === 0) usage.in = before.usage.in
  if (before && usage.out.total === 0) usage.out = before.usage.out
  usage.raw = bounded(said)
  return { usage, raw: said, delivered: { ...delivered } }
}

/** Records figures that no other dialect has, and that are not included in its other figures. */
export function recordBreakdown(raw: unknown, losses: LossList): void {
  if (!isObject(raw)) return
  const tell = (name: string) =>
    losses.leftOut(`usage.${name}`, 'It is included in the totals of the answer; the usage row has the original.')
  if (Array.isArray(raw.iterations) && raw.iterations.length > 0) tell('iterations')
  if (isObject(raw.fallback_credit)) tell('fallback_credit')
  if (isObject(raw.server_tool_use) && count(raw.server_tool_use.web_fetch_requests)) tell('server_tool_use.web_fetch_requests')
}

const inputFields = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']

/** Some upstreams finally report zero for a side that they reported before. */
function isFiller(name: string, raw: Record<string, unknown>): boolean {
  if (name === 'output_tokens') return raw[name] === 0
  return inputFields.includes(name) && inputFields.every((field) => !raw[field])
}

/** Compaction rounds are billed in addition: the top-level figures leave them out. */
function compactions(iterations: unknown): Record<string, unknown>[] {
  const rounds = Array.isArray(iterations) ? iterations.slice(0, mostRounds) : []
  return rounds.filter((round) => isObject(round) && round.type === 'compaction')
}

function addRound(usage: Usage, said: Record<string, unknown>): boolean {
  const [fresh, read, write, out] = [
    said.input_tokens,
    said.cache_read_input_tokens,
    said.cache_creation_input_tokens,
    said.output_tokens,
  ].map((value) => count(value ?? 0))
  if (fresh === undefined || read === undefined || write === undefined || out === undefined) return false
  const split = isObject(said.cache_creation) ? said.cache_creation : {}
  const hour = Math.min(count(split.ephemeral_1h_input_tokens) ?? 0, write)
  usage.in.fresh += fresh
  usage.in.cacheRead += read
  // Five minutes is the vendor's default.
  usage.in.cacheWrite['5m'] += write - hour
  usage.in.cacheWrite['1h'] += hour
  const details = isObject(said.output_tokens_details) ? said.output_tokens_details : {}
  usage.out.total += out
  usage.out.reasoning += Math.min(out, count(details.thinking_tokens) ?? 0)
  return true
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= absurd ? value : undefined
}

/** The usage row keeps the upstream's own object, unless it is larger or deeper than any real usage. */
function bounded(raw: Record<string, unknown>): unknown {
  const text = jsonText(raw)
  return text !== undefined && text.length <= 4096 ? raw : null
}

/** The usage object of an answer: the four figures that every client reads, and any others that are known. */
export function writeUsage({ in: input, out, units }: Usage): Record<string, unknown> {
  const { '5m': five, '1h': hour, other } = input.cacheWrite
  return {
    input_tokens: input.fresh + input.audio + input.image,
    cache_creation_input_tokens: five + hour + other,
    cache_read_input_tokens: input.cacheRead,
    output_tokens: out.total,
    // The kinds of cache writes are only reported when all of them are known.
    ...(other === 0 && five + hour > 0 && { cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour } }),
    ...(out.reasoning > 0 && { output_tokens_details: { thinking_tokens: out.reasoning } }),
    ...(units.searches > 0 && { server_tool_use: { web_search_requests: units.searches } }),
  }
}
