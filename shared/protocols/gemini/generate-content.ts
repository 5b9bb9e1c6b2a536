/**
 * A generateContent request as Parley reads it: the fields it acts on, for the API document. Tolerant on purpose: either
 * spelling of a field is taken (`generation_config`), a number may be a text, and everything else passes to the upstream.
 */
import { type Static, Type } from '../../typebox.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })
const Count = () => Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d{1,16}$' })]))

export const GeminiContent = Open({
  role: Type.Optional(Type.String({ description: '`user` or `model`' })),
  parts: Type.Array(Open({ text: Type.Optional(Type.String()), thoughtSignature: Type.Optional(Type.String()) })),
})
export type GeminiContent = Static<typeof GeminiContent>

/** POST /v1beta/models/{model}:generateContent and :streamGenerateContent */
export const GenerateContentRequest = Open({
  contents: Type.Array(GeminiContent, { minItems: 1 }),
  systemInstruction: Type.Optional(GeminiContent),
  tools: Type.Optional(Type.Array(Open({}))),
  toolConfig: Type.Optional(Open({})),
  generationConfig: Type.Optional(Open({ maxOutputTokens: Count(), candidateCount: Count() })),
  cachedContent: Type.Optional(Type.String()),
})
export type GenerateContentRequest = Static<typeof GenerateContentRequest>
