/** Servers on the operator's own machine: rows as in `index.ts`. */
import type { Service } from './service.ts'

/** The rows, by id. */
export const localServices = {
  // Its Responses endpoint does not replay custom tools and keeps no state.
  ollama: {
    title: 'Ollama',
    host: 'http://127.0.0.1:11434',
    openai: '/v1',
    serves: ['embed'],
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://docs.ollama.com/api/anthropic-compatibility', 'https://www.developersdigest.tech/reference/api-compatibility/ollama'],
  },
  vllm: {
    title: 'vLLM',
    host: 'http://127.0.0.1:8000',
    openai: '/v1',
    serves: ['embed', 'rerank', 'transcribe'],
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://docs.vllm.ai/en/stable/serving/online_serving.html'],
  },
  'llama-cpp': {
    title: 'llama.cpp',
    host: 'http://127.0.0.1:8080',
    openai: '/v1',
    serves: ['embed', 'rerank'],
    messages: '',
    also: ['completions'],
    local: true,
    read: ['https://github.com/ggml-org/llama.cpp/pull/17570', 'https://www.mintlify.com/ggml-org/llama.cpp/inference/server'],
  },
  lmstudio: {
    title: 'LM Studio',
    host: 'http://127.0.0.1:1234',
    openai: '/v1',
    serves: ['embed'],
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://lmstudio.ai/docs/api/openai-api', 'https://lmstudio.ai/docs/developer/anthropic-compat'],
  },
} satisfies Record<string, Service>
