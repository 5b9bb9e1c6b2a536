/**
 * Both lines of the @google/genai SDK: 3.x uses /v1, 2.x /v1beta. The parts of a streamed turn are kept individually, with their
 * signatures.
 */
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type GoogleGenAIOptions,
  type Part,
} from '@google/genai'
import { ApiError as ApiError2, GoogleGenAI as GoogleGenAI2 } from 'google-genai-2'
import { type Answer, type Attachment, type Client, type Ending, parametersOf, type Question, type Turn } from './dialogue.ts'

/** What both lines support. */
interface Models {
  generateContent(request: GenerateContentParameters): Promise<GenerateContentResponse>
  generateContentStream(request: GenerateContentParameters): Promise<AsyncIterable<GenerateContentResponse>>
}

export const google = clientOf(GoogleGenAI, ApiError)
export const google2 = clientOf(GoogleGenAI2, ApiError2)

function clientOf(SDK: new (options: GoogleGenAIOptions) => { models: Models }, Refusal: typeof ApiError | typeof ApiError2): Client {
  return {
    dialect: 'gemini',
    connect(url, key) {
      const { models } = new SDK({ apiKey: key, httpOptions: { baseUrl: url } })
      return (question) => (question.stream ? streamed : whole)(models, question)
    },
    /** An error inside a stream has a status too. */
    faultOf(thrown) {
      if (thrown instanceof Refusal) return { kind: 'status', status: thrown.status }
      return thrown instanceof Error && /abort/i.test(thrown.name) ? { kind: 'left' } : { kind: 'unknown', thrown }
    },
  }
}

async function whole(models: Models, question: Question): Promise<Answer> {
  const response = await models.generateContent(requestOf(question))
  return answerOf(partsOf(response), [response])
}

async function streamed(models: Models, question: Question): Promise<Answer> {
  const parts: Part[] = []
  const responses: GenerateContentResponse[] = []
  for await (const response of await models.generateContentStream(requestOf(question))) {
    responses.push(response)
    for (const part of partsOf(response)) {
      parts.push(part)
      if (part.text && !part.thought) question.onText?.(part.text)
    }
  }
  return answerOf(parts, responses)
}

const partsOf = (response: GenerateContentResponse): Part[] => response.candidates?.[0]?.content?.parts ?? []

function requestOf({ model, system, turns, tools, force, schema, stop, limit, thinks, signal }: Question): GenerateContentParameters {
  return {
    model,
    contents: turns.map(contentOf),
    config: {
      ...(system !== undefined && { systemInstruction: system }),
      ...(tools && {
        tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: parametersOf(name) })) }],
      }),
      ...(force !== undefined && {
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [force] } },
      }),
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      ...(stop !== undefined && { stopSequences: [stop] }),
      ...(limit !== undefined && { maxOutputTokens: limit }),
      ...(thinks && { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } }),
      ...(signal && { abortSignal: signal }),
    },
  }
}

function contentOf(turn: Turn): Content {
  if ('assistant' in turn) return { role: 'model', parts: [{ text: turn.assistant }] }
  if ('answer' in turn) return { role: 'model', parts: turn.answer.own as Part[] }
  if ('results' in turn) {
    const parts = turn.results.map(({ call, text, failed, image }) => ({
      functionResponse: {
        name: call.name,
        ...(call.id !== undefined && { id: call.id }),
        response: failed ? { error: text } : { output: text },
        ...(image && { parts: [{ inlineData: { mimeType: image.mime, data: image.data } }] }),
      },
    }))
    return { role: 'user', parts }
  }
  const { user, attached } = turn
  const media = attached === undefined ? [] : [mediaOf(attached)]
  return { role: 'user', parts: [{ text: user }, ...media] }
}

const mediaOf = (attached: Attachment): Part =>
  'url' in attached
    ? { fileData: { mimeType: attached.mime, fileUri: attached.url } }
    : { inlineData: { mimeType: attached.mime, data: attached.data } }

const endings: Record<string, Ending> = { STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'filter', OTHER: 'refusal' }

function answerOf(parts: Part[], responses: GenerateContentResponse[]): Answer {
  const text = (thought: boolean) => parts.map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('')
  const calls = parts.flatMap(({ functionCall: call }) => (call ? [{ id: call.id, name: call.name ?? '', args: call.args ?? {} }] : []))
  const reasons = responses.flatMap((response) => response.candidates?.[0]?.finishReason ?? [])
  const usage = responses.findLast((response) => response.usageMetadata)?.usageMetadata
  const ending = responses.some((response) => response.promptFeedback?.blockReason) ? 'filter' : (endings[reasons.at(-1) ?? ''] ?? 'none')
  return {
    text: text(false),
    thought: text(true),
    calls,
    ending: ending === 'stop' && calls.length > 0 ? 'calls' : ending,
    usage: {
      in: usage?.promptTokenCount ?? -1,
      cached: usage?.cachedContentTokenCount ?? 0,
      out: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    },
    own: parts.filter((part) => part.text !== '' || part.thoughtSignature !== undefined),
  }
}
