/** The trace that a request belongs to, in W3C Trace Context format. Pure. Read: https://www.w3.org/TR/trace-context/. */

/** The caller's span. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  sampled: boolean
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined if invalid; of a later version the part defined here is read. */
export function readTraceParent(header: string | null): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(header?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header `traceparent` for a request that belongs to this span. */
export const writeTraceParent = ({ traceId, spanId, sampled }: TraceParent): string => `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** Most bytes of `tracestate` to pass on; more is dropped, as the standard allows. */
const mostState = 512

/** The vendor-specific part of the trace, unchanged; undefined where there is none that can be passed on. */
export const readTraceState = (header: string | null): string | undefined =>
  header !== null && /^[\x20-\x7e]+$/.test(header) && header.length <= mostState ? header : undefined

/** Whether a trace is collected. */
export type Sampler = (traceId: string, parent: TraceParent | undefined) => boolean

/**
 * Sampling by `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`; by default everything, with the caller's decision for its own trace.
 * Throws an Error that names the variable when it has another value.
 */
export function samplerOf(name = 'parentbased_always_on', argument = '1'): Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
  const share = kind === 'always_on' ? 1 : kind === 'always_off' ? 0 : Number(argument)
  if (kind === undefined)
    throw new Error('OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them with parentbased_')
  if (!(share >= 0 && share <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  // The last 56 bits are the random ones.
  const isChosen = (traceId: string) => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < share
  return (traceId, parent) => (parentBased && parent ? parent.sampled : isChosen(traceId))
}
