/**
 * A Completions request as Parley reads it, for its reader and the API document. Tolerant on purpose: everything else passes
 * to the upstream untouched, and a conversion reports it as lost.
 */
import { Int, type Static, Type } from '../../typebox.ts'
import { Count, Flag, Free, Open, OrNull, samplingFields, streamOptions, Text } from './tolerant.ts'

const Tokens = Type.Array(Int(0, Number.MAX_SAFE_INTEGER), { minItems: 1 })

/** POST /v1/completions */
export const CompletionsRequest = Open({
  model: Type.String({ minLength: 1, maxLength: 256 }),
  prompt: OrNull(Type.Union([Type.String(), Tokens, Type.Array(Type.String(), { minItems: 1 }), Type.Array(Tokens, { minItems: 1 })])),
  suffix: Text(),
  echo: Flag('Whether the answer begins with the prompt'),
  stream: OrNull(Type.Boolean()),
  stream_options: streamOptions,
  n: Count(128),
  best_of: Count(128),
  max_tokens: Count(Number.MAX_SAFE_INTEGER, 0),
  stop: OrNull(Type.Union([Type.String(), Type.Array(Type.String())])),
  logprobs: Count(20, 0),
  ...samplingFields,
  user: OrNull(Type.String()),
  group: Free('The group to use, from the playground'),
  models: Free('Models that may answer in the place of `model`'),
})
export type CompletionsRequest = Static<typeof CompletionsRequest>

const CompletionsChoice = Open({ index: Free(), text: Text(), logprobs: Free(), finish_reason: Free() })
export type CompletionsChoice = Static<typeof CompletionsChoice>

/** An upstream's response to a request that does not stream. */
const CompletionsAnswer = Open({
  id: Free(),
  object: Free(),
  created: Free(),
  model: Free(),
  choices: Type.Array(CompletionsChoice),
  usage: Free(),
  service_tier: Text(),
  system_fingerprint: Free(),
  provider: Free('The vendor behind the upstream'),
})
export type CompletionsAnswer = Static<typeof CompletionsAnswer>
