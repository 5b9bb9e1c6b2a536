/** Services of America and Europe: rows as `index.ts` says. */
import type { Service } from './service.ts'

/** Fields that only OpenAI supports. */
const openaiOnly = [
  ...['safety_identifier', 'service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'verbosity'],
  ...['store', 'user', 'logit_bias', 'logprobs', 'top_logprobs', 'modalities', 'audio', 'web_search_options', 'moderation'],
]

/** The rows, by id. */
export const hostedServices = {
  openrouter: {
    title: 'OpenRouter',
    host: 'https://openrouter.ai',
    openai: '/api/v1',
    messages: '/api',
    also: ['responses'],
    read: ['https://openrouter.ai/docs/quickstart', 'https://www.developersdigest.tech/reference/api-compatibility/openrouter'],
  },
  // Its Messages endpoint is deprecated.
  xai: {
    title: 'xAI',
    host: 'https://api.x.ai',
    openai: '/v1',
    also: ['responses'],
    // It answers 400 `does not support parameter presencePenalty`, for every model.
    refuses: ['presence_penalty', 'frequency_penalty'],
    read: ['https://docs.x.ai/developers/model-capabilities/text/comparison', 'https://github.com/miaoxworld/NativeTavern/issues/83'],
  },
  mistral: {
    title: 'Mistral',
    host: 'https://api.mistral.ai',
    openai: '/v1',
    serves: ['embed', 'moderate', 'transcribe'],
    // It answers 422 `extra_forbidden` to every unknown field, and 400 to call ids of another format.
    refuses: openaiOnly,
    facts: { shortCallIds: true },
    read: [
      'https://docs.mistral.ai/resources/migration-guides.md',
      'https://docs.mistral.ai/api/',
      'https://github.com/Gitlawb/openclaude/issues/739',
      'https://github.com/nearai/ironclaw/issues/1241',
    ],
  },
  groq: {
    title: 'Groq',
    host: 'https://api.groq.com',
    openai: '/openai/v1',
    also: ['responses'],
    serves: ['transcribe', 'speak'],
    // It answers 400 `property ... is unsupported`.
    refuses: [
      'verbosity',
      'safety_identifier',
      'prompt_cache_key',
      'prompt_cache_retention',
      'prompt_cache_options',
      'store',
      'prediction',
    ],
    read: [
      'https://console.groq.com/docs/openai',
      'https://github.com/CherryHQ/cherry-studio/issues/11435',
      'https://github.com/fanenr/chatbot/issues/21',
    ],
  },
  together: {
    title: 'Together AI',
    host: 'https://api.together.ai',
    openai: '/v1',
    also: ['completions'],
    serves: ['embed', 'image', 'rerank', 'transcribe', 'speak'],
    read: ['https://docs.together.ai/docs/inference/openai-compatibility.md', 'https://docs.together.ai/docs/rerank-overview'],
  },
  fireworks: {
    title: 'Fireworks AI',
    host: 'https://api.fireworks.ai',
    openai: '/inference/v1',
    messages: '/inference',
    also: ['responses', 'completions'],
    serves: ['embed', 'rerank'],
    // It answers 400 `Extra inputs are not permitted` to fields that its reference does not list.
    refuses: [
      ...['safety_identifier', 'verbosity', 'store', 'modalities', 'audio', 'web_search_options', 'moderation'],
      ...['prompt_cache_retention', 'prompt_cache_options'],
    ],
    read: [
      'https://docs.fireworks.ai/api-reference/post-chatcompletions',
      'https://github.com/web-infra-dev/midscene/issues/1322',
      'https://github.com/BerriAI/litellm/issues/30842',
      'https://docs.fireworks.ai/guides/response-api',
      'https://docs.fireworks.ai/guides/querying-embeddings-models',
      'https://www.developersdigest.tech/reference/api-compatibility/fireworks',
    ],
  },
  perplexity: {
    title: 'Perplexity',
    host: 'https://api.perplexity.ai',
    openai: '',
    responses: '/v1',
    also: ['responses'],
    read: ['https://docs.perplexity.ai/docs/grounded-llm/openai-compatibility', 'github vercel/ai packages/perplexity'],
  },
  cerebras: {
    title: 'Cerebras',
    host: 'https://api.cerebras.ai',
    openai: '/v1',
    // It answers 400 to these (the guide of req_llm says so of each).
    refuses: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'parallel_tool_calls', 'service_tier'],
    read: [
      'github vercel/ai packages/cerebras',
      'https://inference-docs.cerebras.ai/resources/openai',
      'https://hexdocs.pm/req_llm/1.9.0/cerebras.html',
    ],
  },
  nvidia: {
    title: 'NVIDIA NIM',
    host: 'https://integrate.api.nvidia.com',
    openai: '/v1',
    serves: ['embed'],
    // It answers 400 `extra_forbidden`: its schema lists every field that it accepts. Fields that only some models reject are not here.
    refuses: [
      ...['safety_identifier', 'service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'verbosity'],
      ...['store', 'modalities', 'audio', 'web_search_options', 'moderation', 'prediction'],
    ],
    read: [
      'https://build.nvidia.com/',
      'https://github.com/sipeed/picoclaw/issues/1019',
      'https://github.com/diegosouzapw/OmniRoute/issues/848',
      'https://github.com/can1357/oh-my-pi/issues/2299',
    ],
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
    serves: ['embed', 'image', 'transcribe', 'speak'],
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
  sambanova: {
    title: 'SambaNova',
    host: 'https://api.sambanova.ai',
    openai: '/v1',
    serves: ['embed', 'transcribe'],
    read: ['https://docs.sambanova.ai/cloud/docs', 'https://docs.pipecat.ai/server/services/llm/sambanova'],
  },
  baseten: {
    title: 'Baseten',
    host: 'https://inference.baseten.co',
    openai: '/v1',
    read: ['https://ai-sdk.dev/providers/ai-sdk-providers/baseten'],
  },
  'github-models': {
    title: 'GitHub Models',
    host: 'https://models.github.ai',
    openai: '/inference',
    serves: ['embed'],
    read: ['https://github.com/github/codespaces-models/pull/28'],
  },
} satisfies Record<string, Service>
