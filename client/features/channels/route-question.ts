/** A small sample request in each dialect, for the route simulation. */
import type { RouteQuestion } from '#shared/console/inspection/route'
import type { Dialect } from '#shared/ids'

/** Features of the sample request. */
export interface Asked {
  model: string
  dialect: Dialect
  key: string
  group: string
  stream: boolean
  tools: boolean
  image: boolean
}

/** One white pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8//8/AwAI/AL+X2NDNwAAAABJRU5ErkJggg=='
const dataUrl = `data:image/png;base64,${pixel}`
const text = 'Hello'
const schema = { type: 'object', properties: {} }
const tool = { name: 'look_up', description: 'Looks something up.' }

type Body = RouteQuestion['body']

const bodies: Record<Dialect, (asked: Asked) => Body> = {
  chat: ({ model, stream, tools, image }) => ({
    model,
    messages: [
      {
        role: 'user',
        content: image
          ? [
              { type: 'text', text },
              { type: 'image_url', image_url: { url: dataUrl } },
            ]
          : text,
      },
    ],
    ...(tools && { tools: [{ type: 'function', function: { ...tool, parameters: schema } }] }),
    ...(stream && { stream }),
  }),
  completions: ({ model, stream }) => ({ model, prompt: text, ...(stream && { stream }) }),
  responses: ({ model, stream, tools, image }) => ({
    model,
    input: image
      ? [
          {
            role: 'user',
            content: [
              { type: 'input_text', text },
              { type: 'input_image', image_url: dataUrl, detail: 'auto' },
            ],
          },
        ]
      : text,
    ...(tools && { tools: [{ type: 'function', ...tool, parameters: schema, strict: false }] }),
    ...(stream && { stream }),
  }),
  messages: ({ model, stream, tools, image }) => ({
    model,
    max_tokens: 1024,
    messages: [
      {
        role: 'user',
        content: image
          ? [
              { type: 'text', text },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
            ]
          : text,
      },
    ],
    ...(tools && { tools: [{ ...tool, input_schema: schema }] }),
    ...(stream && { stream }),
  }),
  gemini: ({ tools, image }) => ({
    contents: [{ role: 'user', parts: [{ text }, ...(image ? [{ inlineData: { mimeType: 'image/png', data: pixel } }] : [])] }],
    ...(tools && { tools: [{ functionDeclarations: [{ ...tool, parameters: schema }] }] }),
  }),
}

/** The request to the API. Completions have neither tools nor images, and Gemini selects streaming by its URL. */
export function routeQuestion(asked: Asked): RouteQuestion {
  const { model, dialect, key, group } = asked
  return {
    ...(key !== '' && { key }),
    ...(group !== '' && { group }),
    dialect,
    ...(dialect === 'gemini' && { path: model }),
    body: bodies[dialect](asked),
  }
}
