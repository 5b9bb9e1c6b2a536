/**
 * The generateContent dialect as Parley reads it, for its readers and the API document. Tolerant on purpose: either spelling of
 * a field is accepted (`generation_config`), a number may be a string, and everything else passes to the upstream.
 */
import { type Static, Type } from '../../typebox.ts'

type Properties = Parameters<typeof Type.Object>[0]
const Open = <T extends Properties>(properties: T, options = {}) => Type.Object(properties, { additionalProperties: true, ...options })
const Text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }))
const Flag = (description?: string) => Type.Optional(Type.Boolean(description === undefined ? {} : { description }))
const Free = (description: string) => Type.Optional(Type.Unknown({ description }))
const Count = () => Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d{1,16}$' })]))
const Figure = (minimum: number, maximum: number) => Type.Optional(Type.Union([Type.Number({ minimum, maximum }), Type.String()]))
const Texts = (description?: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], description === undefined ? {} : { description }))

const InlineData = Open({ mimeType: Text(), data: Text('Base64'), displayName: Text() })
const FileData = Open({ mimeType: Text(), fileUri: Text(), displayName: Text() })
const mediaFields = {
  inlineData: Type.Optional(InlineData),
  fileData: Type.Optional(FileData),
  mediaResolution: Type.Optional(Open({ level: Text('`MEDIA_RESOLUTION_LOW`, `..._MEDIUM`, `..._HIGH` or `..._ULTRA_HIGH`') })),
  videoMetadata: Free('Which part of a video, at what rate'),
  mediaProcessing: Free('How the media is read'),
  partMetadata: Free('Notes on the part'),
}

const FunctionCall = Open({
  id: Text(),
  name: Text(),
  args: Free('The arguments: an object'),
  partialArgs: Type.Optional(Type.Array(Open({ jsonPath: Text() }))),
  willContinue: Flag(),
})
/** A function call of the model. */
export type GeminiFunctionCall = Static<typeof FunctionCall>

const FunctionResponse = Open({
  id: Text(),
  name: Text(),
  response: Free('What the function gave (`output`) or what went wrong (`error`): an object'),
  parts: Type.Optional(Type.Array(Open(mediaFields))),
})
/** The result of a function call. */
export type GeminiFunctionResponse = Static<typeof FunctionResponse>

/** One part of a request or an answer, with the fields of every kind that Parley understands. */
export const GeminiPart = Open({
  text: Text(),
  thought: Flag('The text is a thought'),
  thoughtSignature: Text(),
  functionCall: Type.Optional(FunctionCall),
  functionResponse: Type.Optional(FunctionResponse),
  ...mediaFields,
})
export type GeminiPart = Static<typeof GeminiPart>

/** One message of a conversation. */
export const GeminiContent = Open({
  role: Text('`user` or `model`'),
  parts: Type.Array(GeminiPart),
})
export type GeminiContent = Static<typeof GeminiContent>

const FunctionDeclaration = Open({
  name: Text(),
  description: Text(),
  parameters: Free('The arguments in the older kind of schema'),
  parametersJsonSchema: Free('The arguments in JSON Schema'),
})
/** A function that the model may call. */
export type GeminiFunctionDeclaration = Static<typeof FunctionDeclaration>

const Search = Open({ excludeDomains: Type.Optional(Type.Array(Type.String())) })

const Tool = Open({
  functionDeclarations: Type.Optional(Type.Array(FunctionDeclaration)),
  googleSearch: Type.Optional(Search),
  googleSearchRetrieval: Type.Optional(Search),
})
/** Functions and hosted tools that the model may use. */
export type GeminiTool = Static<typeof Tool>

const ToolConfig = Open({
  functionCallingConfig: Type.Optional(
    Open({
      mode: Text('`AUTO`, `ANY`, `NONE` or `VALIDATED`'),
      allowedFunctionNames: Texts(),
    }),
  ),
})

const ThinkingConfig = Open({
  thinkingBudget: Type.Optional(Type.Union([Type.Integer({ minimum: -1 }), Type.String()])),
  thinkingLevel: Text('`MINIMAL`, `LOW`, `MEDIUM`, `HIGH` or `XHIGH`'),
  includeThoughts: Flag(),
})

const GenerationConfig = Open({
  maxOutputTokens: Count(),
  candidateCount: Count(),
  stopSequences: Texts(),
  temperature: Figure(0, 2),
  topP: Figure(0, 1),
  topK: Figure(0, 1e6),
  frequencyPenalty: Figure(-2, 2),
  presencePenalty: Figure(-2, 2),
  seed: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  responseLogprobs: Flag(),
  logprobs: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 20 }), Type.String()])),
  responseMimeType: Text(),
  responseSchema: Free('The form of the answer in the older kind of schema'),
  responseJsonSchema: Free('The form of the answer in JSON Schema'),
  _responseJsonSchema: Free('An earlier name of `responseJsonSchema`'),
  responseModalities: Texts('`TEXT`, `IMAGE`, `AUDIO`'),
  thinkingConfig: Type.Optional(ThinkingConfig),
})
/** Sampling, output and thinking parameters. */
export type GeminiGenerationConfig = Static<typeof GenerationConfig>

/** POST /v1beta/models/{model}:generateContent and :streamGenerateContent */
export const GenerateContentRequest = Open({
  contents: Type.Array(GeminiContent, { minItems: 1 }),
  systemInstruction: Type.Optional(GeminiContent),
  tools: Type.Optional(Type.Array(Tool)),
  toolConfig: Type.Optional(ToolConfig),
  generationConfig: Type.Optional(GenerationConfig),
  cachedContent: Text(),
  serviceTier: Text('`standard`, `flex` or `priority`'),
  model: Text('Repeats the model of the address'),
})
export type GenerateContentRequest = Static<typeof GenerateContentRequest>

/** POST /v1beta/models/{model}:countTokens: contents alone, or a whole request. */
export const GeminiCountTokensRequest = Open({ generateContentRequest: Type.Optional(GenerateContentRequest) })
export type GeminiCountTokensRequest = Static<typeof GeminiCountTokensRequest>

/** One response of an upstream, whole or a chunk of a stream. */
export const GeminiCandidate = Open({
  content: Type.Optional(GeminiContent),
  finishReason: Text(),
  index: Type.Optional(Type.Integer()),
  groundingMetadata: Type.Optional(
    Open({
      groundingChunks: Type.Optional(
        Type.Array(Open({ web: Free('A page'), maps: Free('A place'), retrievedContext: Free('A document'), image: Free('A picture') }), {
          description: 'Sources found by a search',
        }),
      ),
      groundingSupports: Free('The text that rests on them'),
      webSearchQueries: Free('What was searched for'),
    }),
  ),
  tokenCount: Type.Optional(Type.Integer()),
  avgLogprobs: Type.Optional(Type.Number()),
  citationMetadata: Free('Sources that were recited'),
  logprobsResult: Free('Log probabilities of tokens'),
})
export type GeminiCandidate = Static<typeof GeminiCandidate>

/** An upstream's response; unknown fields are accepted. */
export const GenerateContentResponse = Open({
  candidates: Type.Optional(Type.Array(GeminiCandidate)),
  promptFeedback: Type.Optional(Open({ blockReason: Text('Why the prompt was refused') })),
  usageMetadata: Free('Token counts'),
  modelVersion: Text(),
  responseId: Text(),
  createTime: Text(),
  modelStatus: Free('Whether the model is retiring'),
  error: Free('A refusal that came with status 200'),
})
export type GenerateContentResponse = Static<typeof GenerateContentResponse>
