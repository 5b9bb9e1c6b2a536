/**
 * Popular services and local servers; all copy the Chat API, some also others. One row each. `read` lists where URL, dialects and
 * quirks were read, on 2026-11-20; nothing was run against the real service. A quirk without a source is left out, and a dialect that
 * a row's sources do not name is not in its defaults.
 */

import type { Capabilities } from '#shared/capabilities'
import { type Dialect, type ServiceId, serviceIds } from '#shared/ids'
import { type Layout, layoutEndpoint } from './layout.ts'
import { copiedFacts } from './models/copied.ts'
import type { AuthScheme, Vendor } from './vendor.ts'

interface Service extends Layout {
  title: string
  host: string
  /** Dialects besides Chat; `messages` is included where the row has its path. */
  also?: readonly Dialect[]
  /** The scheme of Messages, where it is not a bearer token. */
  messagesAuth?: AuthScheme
  /** A server on the operator's own machine: no key, and one process serves all its dialects. */
  local?: true
  /** Facts about every model of this service. */
  facts?: Capabilities
  read: readonly string[]
}

/** The rows, by id. */
export const services: Record<ServiceId, Service> = {
  openrouter: {
    title: 'OpenRouter',
    host: 'https://openrouter.ai',
    openai: '/api/v1',
    messages: '/api',
    also: ['responses'],
    read: ['https://openrouter.ai/docs/quickstart', 'https://www.developersdigest.tech/reference/api-compatibility/openrouter'],
  },
  deepseek: {
    title: 'DeepSeek',
    host: 'https://api.deepseek.com',
    openai: '',
    messages: '/anthropic',
    messagesAuth: 'x-api-key',
    // V4 requires its own reasoning to be sent back (github vercel/ai packages/deepseek).
    facts: { reasoningEchoed: true },
    read: ['https://api-docs.deepseek.com/', 'https://api-docs.deepseek.com/guides/anthropic_api/'],
  },
  // Its Messages endpoint is deprecated.
  xai: {
    title: 'xAI',
    host: 'https://api.x.ai',
    openai: '/v1',
    also: ['responses'],
    read: ['https://docs.x.ai/developers/model-capabilities/text/comparison'],
  },
  mistral: {
    title: 'Mistral',
    host: 'https://api.mistral.ai',
    openai: '/v1',
    read: ['https://docs.mistral.ai/resources/migration-guides.md'],
  },
  groq: {
    title: 'Groq',
    host: 'https://api.groq.com',
    openai: '/openai/v1',
    also: ['responses'],
    read: ['https://console.groq.com/docs/openai'],
  },
  together: {
    title: 'Together AI',
    host: 'https://api.together.ai',
    openai: '/v1',
    also: ['completions'],
    read: ['https://docs.together.ai/docs/inference/openai-compatibility.md'],
  },
  fireworks: {
    title: 'Fireworks AI',
    host: 'https://api.fireworks.ai',
    openai: '/inference/v1',
    messages: '/inference',
    also: ['responses', 'completions'],
    read: ['https://docs.fireworks.ai/guides/response-api', 'https://www.developersdigest.tech/reference/api-compatibility/fireworks'],
  },
  perplexity: {
    title: 'Perplexity',
    host: 'https://api.perplexity.ai',
    openai: '',
    responses: '/v1',
    also: ['responses'],
    read: ['https://docs.perplexity.ai/docs/grounded-llm/openai-compatibility', 'github vercel/ai packages/perplexity'],
  },
  moonshot: {
    title: 'Moonshot AI (Kimi)',
    host: 'https://api.moonshot.ai',
    openai: '/v1',
    messages: '/anthropic',
    also: ['responses'],
    // github vercel/ai packages/moonshotai
    facts: { reasoningEchoed: true },
    read: ['https://platform.kimi.ai/docs/api/overview.md', 'https://www.developersdigest.tech/reference/api-compatibility/moonshot'],
  },
  // Its Responses URL is only for subscribers of one plan.
  zai: {
    title: 'Z.ai (GLM)',
    host: 'https://api.z.ai',
    openai: '/api/paas/v4',
    messages: '/api/anthropic',
    read: ['https://docs.z.ai/guides/develop/openai/python', 'https://www.developersdigest.tech/reference/api-compatibility/zai'],
  },
  minimax: {
    title: 'MiniMax',
    host: 'https://api.minimax.io',
    openai: '/v1',
    messages: '/anthropic',
    also: ['responses'],
    read: ['https://www.developersdigest.tech/reference/api-compatibility/minimax'],
  },
  dashscope: {
    title: 'Alibaba Model Studio (Qwen)',
    host: 'https://dashscope-intl.aliyuncs.com',
    openai: '/compatible-mode/v1',
    responses: '/api/v2/apps/protocols/compatible-mode/v1',
    messages: '/apps/anthropic',
    also: ['responses'],
    read: [
      'https://www.alibabacloud.com/help/doc-detail/2833609.html',
      'https://www.alibabacloud.com/help/en/model-studio/compatibility-with-openai-responses-api',
      'https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages',
    ],
  },
  // The Messages page names the path `/messages` under the same `/v1`.
  siliconflow: {
    title: 'SiliconFlow',
    host: 'https://api.siliconflow.com',
    openai: '/v1',
    messages: '',
    read: [
      'https://www.siliconflow.com/blog/openai-sdk-siliconflow-compatibility-checks',
      'https://docs.siliconflow.cn/docs/api/messages-post',
    ],
  },
  volcengine: {
    title: 'Volcengine Ark (Doubao)',
    host: 'https://ark.cn-beijing.volces.com',
    openai: '/api/v3',
    also: ['responses'],
    read: ['https://cloudwego.io/docs/eino/ecosystem/chat_model/chat_model_ark', 'https://pypi.org/project/arkruntime/'],
  },
  cerebras: {
    title: 'Cerebras',
    host: 'https://api.cerebras.ai',
    openai: '/v1',
    read: ['github vercel/ai packages/cerebras'],
  },
  nvidia: {
    title: 'NVIDIA NIM',
    host: 'https://integrate.api.nvidia.com',
    openai: '/v1',
    read: ['https://build.nvidia.com/'],
  },
  huggingface: {
    title: 'Hugging Face',
    host: 'https://router.huggingface.co',
    openai: '/v1',
    read: ['https://huggingface.co/inference/get-started'],
  },
  deepinfra: {
    title: 'DeepInfra',
    host: 'https://api.deepinfra.com',
    openai: '/v1/openai',
    read: ['github vercel/ai packages/deepinfra', 'https://github.com/xyzs996/free-llm-api/discussions/4'],
  },
  novita: {
    title: 'Novita AI',
    host: 'https://api.novita.ai',
    openai: '/openai/v1',
    read: ['https://docs.openclaw.ai/providers/novita'],
  },
  vercel: {
    title: 'Vercel AI Gateway',
    host: 'https://ai-gateway.vercel.sh',
    openai: '/v1',
    messages: '',
    read: ['https://vercel.com/docs/ai-gateway/anthropic-compat', 'https://docs.litellm.ai/docs/providers/vercel_ai_gateway'],
  },
  // Its Responses endpoint does not replay custom tools and keeps no state.
  ollama: {
    title: 'Ollama',
    host: 'http://127.0.0.1:11434',
    openai: '/v1',
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://docs.ollama.com/api/anthropic-compatibility', 'https://www.developersdigest.tech/reference/api-compatibility/ollama'],
  },
  vllm: {
    title: 'vLLM',
    host: 'http://127.0.0.1:8000',
    openai: '/v1',
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://docs.vllm.ai/en/stable/serving/online_serving.html'],
  },
  'llama-cpp': {
    title: 'llama.cpp',
    host: 'http://127.0.0.1:8080',
    openai: '/v1',
    messages: '',
    also: ['completions'],
    local: true,
    read: ['https://github.com/ggml-org/llama.cpp/pull/17570', 'https://www.mintlify.com/ggml-org/llama.cpp/inference/server'],
  },
  lmstudio: {
    title: 'LM Studio',
    host: 'http://127.0.0.1:1234',
    openai: '/v1',
    messages: '',
    also: ['responses', 'completions'],
    local: true,
    read: ['https://lmstudio.ai/docs/api/openai-api', 'https://lmstudio.ai/docs/developer/anthropic-compat'],
  },
}

function vendorOf(id: ServiceId): Vendor {
  const service = services[id]
  const facts = { ...copiedFacts, ...service.facts }
  return {
    id,
    title: service.title,
    speaks: ['chat', ...(service.messages === undefined ? [] : (['messages'] as const)), ...(service.also ?? [])],
    operations: ['generate'],
    baseUrl: service.host + service.openai,
    keyless: service.local === true,
    auth: 'bearer',
    ...(service.messagesAuth && { authBy: { messages: service.messagesAuth } }),
    endpoint: (baseUrl, target) => layoutEndpoint(service, baseUrl, target),
    capabilities: () => facts,
  }
}

/** Every row as a vendor, for the registry. */
export const serviceVendors = Object.fromEntries(serviceIds.map((id) => [id, vendorOf(id)])) as Record<ServiceId, Vendor>
