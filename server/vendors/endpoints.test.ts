/** Where requests go: base URLs in every common spelling, and everything that must not get into a URL. */
import { describe, expect, test } from 'bun:test'
import type { VendorId } from '#shared/ids'
import { bedrockRegion } from './clouds/bedrock.ts'
import { vendors } from './index.ts'
import type { EndpointTarget } from './vendor.ts'

const chat: EndpointTarget = { operation: 'generate', dialect: 'chat', model: 'm', stream: false, options: {} }

const url = (id: VendorId, base: string | undefined, target: Partial<EndpointTarget> = {}) =>
  vendors[id].endpoint(base ?? vendors[id].baseUrl ?? '', { ...chat, ...target })

function refusal(id: VendorId, base: string, target: Partial<EndpointTarget>): unknown {
  try {
    return url(id, base, target)
  } catch (error) {
    return error
  }
}

describe('OpenAI-shaped', () => {
  const cases: [base: string, expected: string][] = [
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com/v1/', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com///', 'https://api.openai.com/v1/chat/completions'],
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['http://[::1]:8000/v1//', 'http://[::1]:8000/v1/chat/completions'],
    ['https://host.example/openai', 'https://host.example/openai/v1/chat/completions'],
    ['https://host.example/openai/v1', 'https://host.example/openai/v1/chat/completions'],
    ['https://host.example/api/paas/v4/', 'https://host.example/api/paas/v4/chat/completions'],
    ['https://host.example/v1beta/openai/', 'https://host.example/v1beta/openai/chat/completions'],
    ['https://host.example/v1?api-version=1#x', 'https://host.example/v1/chat/completions'],
    ['https://host.example/proxy-v1', 'https://host.example/proxy-v1/v1/chat/completions'],
    // A host named like a version is not a version.
    ['http://v1', 'http://v1/v1/chat/completions'],
  ]
  for (const id of ['openai', 'openai-compatible', 'parley'] as const) {
    test.each(cases.filter(([base]) => id !== 'parley' || !/paas|openai/.test(base)))(`${id} %s`, (base, expected) => {
      expect(url(id, base)).toBe(expected)
    })
  }

  test('the model never reaches the path', () => {
    expect(url('openai', undefined, { model: '../../admin?x=' })).toBe('https://api.openai.com/v1/chat/completions')
  })

  test('an operation or dialect that the layout lacks is refused', () => {
    const refused = expect.objectContaining({ code: 'unsupported_endpoint' })
    expect(refusal('openai', 'https://api.openai.com', { dialect: 'messages' })).toEqual(refused)
    expect(refusal('openai', 'https://api.openai.com', { operation: 'count-tokens' })).toEqual(refused)
    expect(refusal('mistral', 'https://api.mistral.ai/v1', { dialect: 'messages' })).toEqual(refused)
  })

  test('a compatible channel may say that it speaks more', () => {
    expect(url('openai-compatible', 'http://127.0.0.1:9/v1', { dialect: 'messages' })).toBe('http://127.0.0.1:9/v1/messages')
    expect(url('openai-compatible', 'http://127.0.0.1:9/v4', { dialect: 'messages' })).toBe('http://127.0.0.1:9/v1/messages')
    expect(url('openai-compatible', 'http://127.0.0.1:9', { dialect: 'responses' })).toBe('http://127.0.0.1:9/v1/responses')
  })
})

describe('services with more than one address', () => {
  const cases: [VendorId, base: string | undefined, EndpointTarget['dialect'], expected: string][] = [
    ['deepseek', undefined, 'chat', 'https://api.deepseek.com/chat/completions'],
    ['deepseek', undefined, 'messages', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['deepseek', 'https://api.deepseek.com/v1', 'chat', 'https://api.deepseek.com/v1/chat/completions'],
    ['deepseek', 'https://api.deepseek.com/v1', 'messages', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['deepseek', 'https://api.deepseek.com/anthropic', 'chat', 'https://api.deepseek.com/chat/completions'],
    ['deepseek', 'https://api.deepseek.com/anthropic/v1', 'messages', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['openrouter', undefined, 'messages', 'https://openrouter.ai/api/v1/messages'],
    ['openrouter', 'https://openrouter.ai/api', 'responses', 'https://openrouter.ai/api/v1/responses'],
    ['openrouter', 'https://openrouter.ai', 'chat', 'https://openrouter.ai/api/v1/chat/completions'],
    ['openrouter', 'https://eu.openrouter.ai/api/v1', 'messages', 'https://eu.openrouter.ai/api/v1/messages'],
    ['groq', 'https://api.groq.com/openai', 'chat', 'https://api.groq.com/openai/v1/chat/completions'],
    ['groq', 'https://api.groq.com', 'responses', 'https://api.groq.com/openai/v1/responses'],
    ['groq', 'http://openai', 'chat', 'http://openai/openai/v1/chat/completions'],
    ['zai', undefined, 'messages', 'https://api.z.ai/api/anthropic/v1/messages'],
    ['zai', 'https://api.z.ai/api/coding/paas/v4', 'chat', 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
    ['zai', 'https://api.z.ai/api/coding/paas/v4', 'messages', 'https://api.z.ai/api/anthropic/v1/messages'],
    ['zai', 'https://gate.example/zai/api/paas/v4', 'messages', 'https://gate.example/zai/api/anthropic/v1/messages'],
    ['perplexity', undefined, 'chat', 'https://api.perplexity.ai/chat/completions'],
    ['perplexity', 'https://api.perplexity.ai/v1', 'chat', 'https://api.perplexity.ai/chat/completions'],
    ['perplexity', undefined, 'responses', 'https://api.perplexity.ai/v1/responses'],
    ['dashscope', undefined, 'responses', 'https://dashscope-intl.aliyuncs.com/api/v2/apps/protocols/compatible-mode/v1/responses'],
    [
      'dashscope',
      'https://dashscope.aliyuncs.com/compatible-mode/v1',
      'messages',
      'https://dashscope.aliyuncs.com/apps/anthropic/v1/messages',
    ],
    [
      'dashscope',
      'https://dashscope.aliyuncs.com/api/v2/apps/protocols/compatible-mode/v1',
      'chat',
      'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions',
    ],
    ['fireworks', undefined, 'messages', 'https://api.fireworks.ai/inference/v1/messages'],
    ['siliconflow', 'https://api.siliconflow.cn/v1', 'messages', 'https://api.siliconflow.cn/v1/messages'],
    ['deepinfra', undefined, 'chat', 'https://api.deepinfra.com/v1/openai/chat/completions'],
    ['volcengine', undefined, 'responses', 'https://ark.cn-beijing.volces.com/api/v3/responses'],
    ['ollama', 'http://192.168.1.9:11434', 'messages', 'http://192.168.1.9:11434/v1/messages'],
    ['vllm', undefined, 'completions', 'http://127.0.0.1:8000/v1/completions'],
  ]
  test.each(cases)('%s %s %s', (id, base, dialect, expected) => expect(url(id, base, { dialect })).toBe(expected))
})

describe('Anthropic', () => {
  const messages = { dialect: 'messages' } as const
  test.each(['https://api.anthropic.com', 'https://api.anthropic.com/', 'https://api.anthropic.com/v1', 'https://api.anthropic.com/v1/'])(
    '%s',
    (base) => {
      expect(url('anthropic', base, messages)).toBe('https://api.anthropic.com/v1/messages')
      expect(url('anthropic', base, { ...messages, operation: 'count-tokens' })).toBe('https://api.anthropic.com/v1/messages/count_tokens')
    },
  )
})

describe('Gemini', () => {
  const google = 'https://generativelanguage.googleapis.com'
  const cases: [base: string, target: Partial<EndpointTarget>, expected: string][] = [
    [google, { model: 'gemini-3-flash' }, '/v1beta/models/gemini-3-flash:generateContent'],
    [`${google}/v1beta/`, { model: 'gemini-3-flash' }, '/v1beta/models/gemini-3-flash:generateContent'],
    [`${google}/v1`, { model: 'gemini-3-flash', stream: true }, '/v1/models/gemini-3-flash:streamGenerateContent?alt=sse'],
    [google, { model: 'models/gemini-3-flash' }, '/v1beta/models/gemini-3-flash:generateContent'],
    [google, { model: 'tunedModels/mine-1' }, '/v1beta/tunedModels/mine-1:generateContent'],
    [google, { model: 'm', operation: 'count-tokens' }, '/v1beta/models/m:countTokens'],
    [google, { model: 'm', operation: 'count-tokens', stream: true }, '/v1beta/models/m:countTokens'],
    // A name stays one path segment, whatever it contains.
    [google, { model: '../x?key=y#z' }, '/v1beta/models/..%2Fx%3Fkey%3Dy%23z:generateContent'],
  ]
  test.each(cases)('%s %p', (base, target, expected) => {
    expect(url('gemini', base, { dialect: 'gemini', ...target })).toBe(google + expected)
  })
})

describe('Azure', () => {
  const resource = 'https://mine.openai.azure.com'
  const spellings = ['', '/', '/openai', '/openai/v1', '/openai/v1/', '/openai/deployments', '/openai/deployments/other']
  test.each(spellings)('%p is the resource', (path) => {
    expect(url('azure-openai', resource + path)).toBe(`${resource}/openai/v1/chat/completions`)
  })

  const dated = { apiVersion: '2024-10-21' }
  const cases: [target: Partial<EndpointTarget>, expected: string][] = [
    [{ dialect: 'responses' }, '/openai/v1/responses'],
    [{ options: { apiVersion: 'preview' } }, '/openai/v1/chat/completions?api-version=preview'],
    [{ options: dated, model: 'my-gpt' }, '/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21'],
    [{ options: { ...dated, deployment: 'd 1' } }, '/openai/deployments/d%201/chat/completions?api-version=2024-10-21'],
    [{ options: { apiVersion: '2025-04-01-preview' }, dialect: 'responses' }, '/openai/responses?api-version=2025-04-01-preview'],
  ]
  test.each(cases)('%p', (target, expected) => expect(url('azure-openai', resource, target)).toBe(resource + expected))

  test('a version that is none does not become part of an address', () => {
    const options = { apiVersion: '2024-10-21&x=y' }
    expect(refusal('azure-openai', resource, { options })).toMatchObject({ code: 'upstream_error' })
  })
})

describe('Vertex', () => {
  const project = { project: 'acme-1' }
  const at = (host: string, region: string) => `https://${host}/v1/projects/acme-1/locations/${region}/publishers`
  const cases: [base: string | undefined, target: Partial<EndpointTarget>, expected: string][] = [
    [undefined, { dialect: 'gemini', options: project }, `${at('aiplatform.googleapis.com', 'global')}/google/models/m:generateContent`],
    [
      undefined,
      { dialect: 'gemini', stream: true, options: { ...project, region: 'europe-west4' } },
      `${at('europe-west4-aiplatform.googleapis.com', 'europe-west4')}/google/models/m:streamGenerateContent?alt=sse`,
    ],
    [
      undefined,
      { dialect: 'messages', options: { ...project, region: 'eu' }, model: 'claude-opus-4-1@20250805' },
      `${at('aiplatform.eu.rep.googleapis.com', 'eu')}/anthropic/models/claude-opus-4-1@20250805:rawPredict`,
    ],
    [
      'https://gate.example/vertex/v1',
      { dialect: 'messages', stream: true, options: { ...project, region: 'us-east5' } },
      `${at('gate.example/vertex', 'us-east5')}/anthropic/models/m:streamRawPredict`,
    ],
  ]
  test.each(cases)('%s %p', (base, target, expected) => expect(url('vertex', base, target)).toBe(expected))

  test.each([{}, { project: 'a/b' }, { project: 'a', region: 'evil.example/' }, { project: 'a', region: '..' }])(
    '%p is refused',
    (options) => {
      expect(refusal('vertex', 'https://aiplatform.googleapis.com', { dialect: 'gemini', options })).toMatchObject({
        code: 'upstream_error',
      })
    },
  )
})

describe('Bedrock', () => {
  const claude = { dialect: 'messages', model: 'us.anthropic.claude-opus-4-5-20251101-v1:0' } as const
  const own = 'https://bedrock-runtime.us-east-1.amazonaws.com'

  test('the model is one segment, and a stream is another operation', () => {
    const path = '/model/us.anthropic.claude-opus-4-5-20251101-v1%3A0'
    expect(url('bedrock', undefined, claude)).toBe(`${own}${path}/invoke`)
    expect(url('bedrock', undefined, { ...claude, stream: true })).toBe(`${own}${path}/invoke-with-response-stream`)
    const nova = { ...claude, model: 'us.amazon.nova-lite-v1:0' }
    expect(url('bedrock', undefined, nova)).toBe(`${own}/model/us.amazon.nova-lite-v1%3A0/converse`)
    expect(url('bedrock', undefined, { ...nova, stream: true })).toEndWith('/converse-stream')
    const profile = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0'
    expect(url('bedrock', undefined, { ...nova, model: profile })).toEndWith('/converse')
    expect(url('bedrock', undefined, { ...claude, model: 'arn:aws:bedrock:x/y' })).toBe(`${own}/model/arn%3Aaws%3Abedrock%3Ax%2Fy/invoke`)
  })

  test('the option names the region of the vendor’s own address only', () => {
    const options = { region: 'eu-central-1' }
    expect(url('bedrock', undefined, { ...claude, options })).toStartWith('https://bedrock-runtime.eu-central-1.amazonaws.com/model/')
    expect(url('bedrock', 'http://127.0.0.1:9', { ...claude, options })).toStartWith('http://127.0.0.1:9/model/')
  })

  test('the region of the signature is that of the request', () => {
    expect(bedrockRegion(`${own}/model/x/invoke`, {})).toBe('us-east-1')
    expect(bedrockRegion('http://127.0.0.1:9/', { region: 'us-gov-west-1' })).toBe('us-gov-west-1')
    expect(() => bedrockRegion('http://127.0.0.1:9/', {})).toThrow('option')
    expect(refusal('bedrock', own, { ...claude, options: { region: 'x.evil.example/' } })).toMatchObject({ code: 'upstream_error' })
  })
})

describe('clouds and plans', () => {
  const cases: [id: VendorId, base: string | undefined, target: Partial<EndpointTarget>, expected: string][] = [
    ['azure-foundry', 'https://r.services.ai.azure.com', {}, 'https://r.services.ai.azure.com/openai/v1/chat/completions'],
    [
      'azure-foundry',
      'https://r.services.ai.azure.com/openai/v1/',
      { operation: 'embed' },
      'https://r.services.ai.azure.com/openai/v1/embeddings',
    ],
    [
      'azure-foundry',
      'https://r.services.ai.azure.com/anthropic',
      { dialect: 'messages' },
      'https://r.services.ai.azure.com/anthropic/v1/messages',
    ],
    ['azure-foundry', 'https://r.services.ai.azure.com', { dialect: 'responses' }, 'https://r.services.ai.azure.com/openai/v1/responses'],
    ['cloudflare', undefined, { options: { account: 'abc' } }, 'https://api.cloudflare.com/client/v4/accounts/abc/ai/v1/chat/completions'],
    [
      'cloudflare',
      'https://api.cloudflare.com/client/v4/accounts/abc/ai/v1',
      {},
      'https://api.cloudflare.com/client/v4/accounts/abc/ai/v1/chat/completions',
    ],
    ['databricks', 'https://dbc.cloud.databricks.com', {}, 'https://dbc.cloud.databricks.com/serving-endpoints/chat/completions'],
    [
      'databricks',
      'https://dbc.cloud.databricks.com/serving-endpoints/',
      { operation: 'embed' },
      'https://dbc.cloud.databricks.com/serving-endpoints/embeddings',
    ],
    ['voyage', undefined, { operation: 'rerank' }, 'https://api.voyageai.com/v1/rerank'],
    ['watsonx', undefined, {}, 'https://us-south.ml.cloud.ibm.com/ml/gateway/v1/chat/completions'],
    [
      'watsonx',
      'https://eu-de.ml.cloud.ibm.com/ml/gateway/v1/',
      { operation: 'embed' },
      'https://eu-de.ml.cloud.ibm.com/ml/gateway/v1/embeddings',
    ],
    ['zhipu', undefined, { dialect: 'messages' }, 'https://open.bigmodel.cn/api/anthropic/v1/messages'],
    ['qianfan', undefined, {}, 'https://qianfan.baidubce.com/v2/chat/completions'],
    ['iflytek', undefined, {}, 'https://spark-api-open.xf-yun.com/v1/chat/completions'],
    ['zai-coding', undefined, {}, 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
    ['kimi-coding', undefined, { dialect: 'messages' }, 'https://api.kimi.com/coding/v1/messages'],
    ['volcengine-coding', undefined, { dialect: 'messages' }, 'https://ark.cn-beijing.volces.com/api/coding/v1/messages'],
    ['dashscope-coding', undefined, { dialect: 'messages' }, 'https://coding.dashscope.aliyuncs.com/apps/anthropic/v1/messages'],
    ['sambanova', undefined, {}, 'https://api.sambanova.ai/v1/chat/completions'],
    ['baseten', undefined, {}, 'https://inference.baseten.co/v1/chat/completions'],
    ['github-models', undefined, {}, 'https://models.github.ai/inference/chat/completions'],
    ['hunyuan', undefined, {}, 'https://api.hunyuan.cloud.tencent.com/v1/chat/completions'],
    ['moonshot-cn', undefined, {}, 'https://api.moonshot.cn/v1/chat/completions'],
    [
      'vertex',
      undefined,
      { operation: 'embed', style: 'vertex', model: 'text-embedding-005', options: { project: 'acme', region: 'us-central1' } },
      'https://us-central1-aiplatform.googleapis.com/v1/projects/acme/locations/us-central1/publishers/google/models/text-embedding-005:predict',
    ],
    [
      'vertex',
      undefined,
      { operation: 'count-tokens', dialect: 'gemini', model: 'gemini-3-flash', options: { project: 'acme' } },
      'https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/google/models/gemini-3-flash:countTokens',
    ],
  ]
  test('Claude’s tokens are counted at one address for all models', () => {
    const counting = { operation: 'count-tokens', dialect: 'messages', model: 'claude-opus-5-5', options: { project: 'acme' } } as const
    expect(url('vertex', undefined, counting)).toEndWith('/locations/global/publishers/anthropic/models/count-tokens:rawPredict')
  })

  test.each(cases)('%s %s %j', (id, base, target, expected) => {
    expect(url(id, base, target)).toBe(expected)
  })

  test('an account is a name, never a path', () => {
    for (const account of [undefined, '', 'a/b', '../x', 'a?b']) {
      expect(
        refusal('cloudflare', 'https://api.cloudflare.com/client/v4', { options: account === undefined ? {} : { account } }),
      ).toMatchObject({
        code: 'upstream_error',
      })
    }
  })
})

describe('live sessions of Google', () => {
  const place = { project: 'acme', region: 'us-central1' }
  const path = '/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent'
  const cases: [id: VendorId, base: string | undefined, options: Record<string, string>, expected: string][] = [
    [
      'gemini',
      undefined,
      {},
      'https://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
    ],
    ['vertex', undefined, { project: 'acme' }, `https://aiplatform.googleapis.com${path}`],
    ['vertex', undefined, place, `https://us-central1-aiplatform.googleapis.com${path}`],
    ['vertex', 'http://127.0.0.1:9/v1', place, `http://127.0.0.1:9${path}`],
  ]
  test.each(cases)('%s %s %j', (id, base, options, expected) => {
    expect(url(id, base, { operation: 'realtime', dialect: 'gemini', model: 'm', stream: true, options })).toBe(expected)
  })

  test('the cloud’s needs its project', () => {
    expect(refusal('vertex', 'https://aiplatform.googleapis.com', { operation: 'realtime', dialect: 'gemini' })).toMatchObject({
      code: 'upstream_error',
    })
  })
})

describe('realtime', () => {
  const cases: [id: VendorId, base: string | undefined, target: Partial<EndpointTarget>, expected: string][] = [
    ['openai', undefined, {}, 'https://api.openai.com/v1/realtime?model=gpt-realtime'],
    ['openai', 'http://127.0.0.1:9', { model: 'a/b?c=d&e' }, 'http://127.0.0.1:9/v1/realtime?model=a%2Fb%3Fc%3Dd%26e'],
    ['openai-compatible', 'https://host.example/api/v4/', {}, 'https://host.example/api/v4/realtime?model=gpt-realtime'],
    ['parley', 'https://parley.example', {}, 'https://parley.example/v1/realtime?model=gpt-realtime'],
    ['azure-openai', 'https://r.openai.azure.com', {}, 'https://r.openai.azure.com/openai/v1/realtime?model=gpt-realtime'],
    [
      'azure-openai',
      'https://r.openai.azure.com/openai/v1',
      { options: { apiVersion: 'preview' } },
      'https://r.openai.azure.com/openai/v1/realtime?model=gpt-realtime&api-version=preview',
    ],
    [
      'azure-openai',
      'https://r.openai.azure.com',
      { options: { apiVersion: '2025-04-01-preview', deployment: 'my one' } },
      'https://r.openai.azure.com/openai/realtime?api-version=2025-04-01-preview&deployment=my%20one',
    ],
  ]
  test.each(cases)('%s %s %j', (id, base, target, expected) => {
    expect(url(id, base, { operation: 'realtime', model: 'gpt-realtime', stream: true, ...target })).toBe(expected)
  })
})

describe('pictures', () => {
  const dated = { apiVersion: '2025-04-01-preview' }
  const cases: [id: VendorId, target: Partial<EndpointTarget>, expected: string][] = [
    ['openai', {}, 'https://api.openai.com/v1/images/generations'],
    ['openai', { variant: 'edit' }, 'https://api.openai.com/v1/images/edits'],
    ['azure-openai', {}, 'https://r.example/openai/v1/images/generations'],
    ['azure-openai', { options: dated }, 'https://r.example/openai/deployments/painter/images/generations?api-version=2025-04-01-preview'],
    [
      'azure-openai',
      { variant: 'edit', options: dated },
      'https://r.example/openai/deployments/painter/images/edits?api-version=2025-04-01-preview',
    ],
    ['gemini', { dialect: 'gemini' }, 'https://generativelanguage.googleapis.com/v1beta/models/painter:generateContent'],
    ['gemini', { dialect: 'gemini', variant: 'predict' }, 'https://generativelanguage.googleapis.com/v1beta/models/painter:predict'],
    [
      'vertex',
      { dialect: 'gemini', variant: 'predict', options: { project: 'acme' } },
      'https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/google/models/painter:predict',
    ],
  ]
  test.each(cases)('%s %j', (id, target, expected) => {
    const base = id === 'azure-openai' ? 'https://r.example' : undefined
    expect(url(id, base, { operation: 'image', model: 'painter', ...target })).toBe(expected)
  })
})
