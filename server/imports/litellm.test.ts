/** A config.yaml in LiteLLM's form, made for these tests. */
import { expect, test } from 'bun:test'
import { fromLiteLlm } from './litellm.ts'

/** As parley.yaml names a variable of the environment. */
const variable = (name: string) => `\${${name}}`

const file = {
  model_list: [
    { model_name: 'gpt-4o', litellm_params: { model: 'openai/gpt-4o', api_key: 'os.environ/OPENAI_API_KEY', rpm: 480, timeout: 300 } },
    {
      model_name: 'cheap',
      litellm_params: {
        model: 'openai/gpt-4o-mini',
        api_key: 'os.environ/OPENAI_API_KEY',
        input_cost_per_token: 1.5e-7,
        output_cost_per_token: 6e-7,
      },
    },
    {
      model_name: 'claude',
      litellm_params: { model: 'anthropic/claude-sonnet-4', api_key: 'sk-ant' },
      model_info: { id: '1', mode: 'chat' },
    },
    { model_name: 'own', litellm_params: { model: 'openai/llama', api_base: 'http://10.0.0.5:8000/v1', api_key: 'none' } },
    {
      model_name: 'az',
      litellm_params: {
        model: 'azure/dep',
        api_base: 'os.environ/AZURE_API_BASE',
        api_version: '2024-06-01',
        api_key: 'os.environ/AZURE_API_KEY',
      },
    },
    { model_name: '*', litellm_params: { model: 'openai/*' } },
    { model_name: 'odd', litellm_params: { model: 'sagemaker/x' } },
  ],
  litellm_settings: { fallbacks: [{ 'gpt-4o': ['claude'] }], context_window_fallbacks: [{ 'gpt-4o': ['claude'] }], num_retries: 5 },
  general_settings: { master_key: 'sk-1234' },
}

test('deployments become channels by vendor, address and key', () => {
  const { channels, prices, fallbacks } = fromLiteLlm(file)
  expect(channels).toEqual([
    {
      name: 'openai',
      vendor: 'openai',
      models: ['gpt-4o', { name: 'cheap', upstream: 'gpt-4o-mini' }],
      keys: [variable('OPENAI_API_KEY')],
      timeouts: { total: 300 },
    },
    { name: 'anthropic', vendor: 'anthropic', models: [{ name: 'claude', upstream: 'claude-sonnet-4' }], keys: ['sk-ant'] },
    {
      name: '10.0.0.5',
      vendor: 'openai-compatible',
      models: [{ name: 'own', upstream: 'llama' }],
      baseUrl: 'http://10.0.0.5:8000/v1',
      keys: ['none'],
    },
    {
      name: 'azure-openai',
      vendor: 'azure-openai',
      models: [{ name: 'az', upstream: 'dep' }],
      baseUrl: variable('AZURE_API_BASE'),
      keys: [variable('AZURE_API_KEY')],
      options: { apiVersion: '2024-06-01' },
    },
  ])
  expect(prices).toEqual({ cheap: { input: '0.15', output: '0.6' } })
  expect(fallbacks).toEqual({ 'gpt-4o': { error: ['claude'], context: ['claude'] } })
})

test('nothing is dropped without a remark', () => {
  const { remarks } = fromLiteLlm(file)
  const said = remarks.map(({ about, field }) => `${about}: ${field}`)
  for (const one of [
    'model gpt-4o: rpm',
    'model claude: model_info.mode',
    'model *: model',
    'model odd: model',
    'litellm_settings: num_retries',
    'general_settings: master_key',
    'model own: price',
  ])
    expect(said).toContain(one)
  expect(JSON.stringify(remarks)).not.toMatch(/sk-1234|sk-ant/)
})

test('another file is refused', () => {
  expect(() => fromLiteLlm({ models: [] })).toThrow('no model_list')
  expect(() => fromLiteLlm('text')).toThrow('no model_list')
})

/** The channels of deployments with these parameters, and what is said of them. */
const movedFrom = (...params: object[]) => {
  const { channels, remarks } = fromLiteLlm({ model_list: params.map((litellm_params, at) => ({ model_name: `m${at}`, litellm_params })) })
  return { channels, said: remarks.filter(({ field }) => field !== 'price').map(({ about, field }) => `${about} ${field}`) }
}

test('accounts of clouds have their keys, regions and projects', () => {
  const aws = {
    model: 'bedrock/anthropic.claude',
    aws_region_name: 'eu-west-1',
    aws_access_key_id: 'os.environ/ID',
    aws_secret_access_key: 's',
  }
  const vertex = { model: 'vertex_ai/gemini-2.5-pro', vertex_project: 'p', vertex_location: 'europe-west4' }
  const { channels, said } = movedFrom(
    aws,
    { ...aws, aws_session_token: 't' },
    { ...vertex, vertex_credentials: 'os.environ/SERVICE_ACCOUNT' },
    { ...vertex, vertex_credentials: '/etc/account.json' },
  )
  expect(channels).toMatchObject([
    { vendor: 'bedrock', keys: [`${variable('ID')}:s`], options: { region: 'eu-west-1' } },
    { vendor: 'bedrock', keys: [`${variable('ID')}:s:t`], options: { region: 'eu-west-1' } },
    { vendor: 'vertex', keys: [variable('SERVICE_ACCOUNT')], options: { project: 'p', region: 'europe-west4' } },
    { vendor: 'vertex', options: { project: 'p', region: 'europe-west4' } },
  ])
  expect(said).toEqual(['channel vertex 2 api_key', 'model m3 vertex_credentials'])
})

test('weights and organizations are imported with the channel; what cannot be is reported', () => {
  const own = { model: 'openai/gpt-4o', api_key: 'sk-1' }
  const { channels, said } = movedFrom(
    { ...own, weight: 3, organization: 'org-1', timeout: 60 },
    { ...own, weight: 3, organization: 'org-1', timeout: 90 },
    { ...own, weight: 0.5 },
    { model: 'groq/llama', api_key: 'gsk', organization: 'org-1' },
  )
  expect(channels).toMatchObject([
    { weight: 3, headers: { 'openai-organization': 'org-1' }, models: [{ name: 'm0' }, { name: 'm1' }], timeouts: { total: 60 } },
    { models: [{ name: 'm2' }] },
    { vendor: 'groq' },
  ])
  expect(channels[1]).not.toHaveProperty('weight')
  expect(said).toEqual(['model m1 timeout', 'model m2 weight', 'model m3 organization'])
})
