/** The @google/genai SDK; the parts of a streamed turn are kept one by one, with their signatures. */
import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { type Answer, type Ask, parametersOf, type Question, type Turn } from './dialogue.ts'

export function geminiClient(url: string, key: string): Ask {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
  return async (question) => {
    const request = requestOf(question)
    if (!question.stream) {
      const response = await client.models.generateContent(request)
      return answerOf(partsOf(response), [response])
    }
    const parts: Part[] = []
    const responses: GenerateContentResponse[] = []
    for await (const response of await client.models.generateContentStream(request)) {
      responses.push(response)
      for (const part of partsOf(response)) {
        parts.push(part)
        if (part.text && !part.thought) question.heard?.(part.text)
      }
    }
    return answerOf(parts, responses)
  }
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
  const media = attached === undefined ? [] : [{ inlineData: { mimeType: attached.mime, data: attached.data } }]
  return { role: 'user', parts: [{ text: user }, ...media] }
}

const endings: Record<string, Answer['ending']> = { STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'filter', OTHER: 'refusal' }

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
