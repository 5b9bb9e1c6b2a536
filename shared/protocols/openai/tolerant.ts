/**
 * Building blocks of wire schemas. They name what Parley reads and describe it, for its readers and for the API document;
 * everything that is not named passes, and null stands for absent.
 */
import { Int, type TSchema, Type } from '../../typebox.ts'

type Properties = Parameters<typeof Type.Object>[0]
type Options = Parameters<typeof Type.Object>[1]

/** An object with more fields than those that are named. */
export const Open = <T extends Properties>(properties: T, options: Options = {}) =>
  Type.Object(properties, { additionalProperties: true, ...options })

/** A field that may be absent or null. */
export const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const described = (description: string | undefined) => (description === undefined ? {} : { description })

/** Text that may be null. */
export const Text = (description?: string) => OrNull(Type.String(described(description)))
/** A boolean that may be null. */
export const Flag = (description?: string) => OrNull(Type.Boolean(described(description)))
/** A number that may be null. */
export const Figure = (description?: string) => OrNull(Type.Number(described(description)))
/** An integer from `least` to `most` that may be null. */
export const Count = (most = Number.MAX_SAFE_INTEGER, least = 1) => OrNull(Int(least, most))
/** Any value: free maps, and fields that come in several shapes. */
export const Free = (description?: string) => Type.Optional(Type.Unknown(described(description)))

/** Cache breakpoints, in OpenAI's form and in those of other vendors' clients. */
export const cacheMarks = {
  prompt_cache_breakpoint: OrNull(Open({ mode: Text(), ttl: Text('`30m` or `12h`') })),
  cache_control: OrNull(Open({ type: Text('`ephemeral`'), ttl: Text('`5m` or `1h`') })),
}

/** Sampling parameters, which Chat and Completions spell alike. */
export const samplingFields = {
  temperature: Figure(),
  top_p: Figure(),
  top_k: Figure('Of vendors other than OpenAI'),
  frequency_penalty: Figure(),
  presence_penalty: Figure(),
  seed: Figure(),
  logit_bias: Free('A map of token ids to numbers'),
}
/** Sampling fields of a body, before their values are checked. */
export type SamplingFields = Partial<Record<keyof typeof samplingFields, unknown>>

/** `stream_options`, which may be null. */
export const streamOptions = OrNull(Open({ include_usage: Type.Optional(Type.Boolean()) }))
