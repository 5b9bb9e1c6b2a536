import type { PreviewDialect } from './rewritten-request.ts'

/** Path and query of Parley's public API for a request in `dialect`, without the origin. */
export function endpointOf({ dialect, model, stream }: { dialect: PreviewDialect; model: string; stream: boolean }): string {
  switch (dialect) {
    case 'chat':
      return '/v1/chat/completions'
    case 'responses':
      return '/v1/responses'
    case 'messages':
      return '/v1/messages'
    case 'gemini':
      return `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
  }
}
