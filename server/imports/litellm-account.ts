/** The provider account of a LiteLLM deployment, as fields of a channel. Pure. */
import type { VendorId } from '#shared/ids'

type Json = Record<string, unknown>

/** Account fields of a channel. */
export interface Account {
  /** Empty where the file has none. */
  key: string
  options: Record<string, string>
  headers: Record<string, string>
  /** Parameters that this covers. */
  looked: readonly string[]
}

/** `os.environ/NAME` as parley.yaml writes it. */
export const fromEnvironment = (value: string): string => value.replace(/^os\.environ\/([A-Za-z_]\w*)$/, '$${$1}')

/** The account that these parameters name. */
export function accountOf(vendor: VendorId, params: Json): Account {
  const given = (name: string) => {
    const value = params[name]
    return typeof value === 'string' || typeof value === 'number' ? fromEnvironment(String(value)) : ''
  }
  const named = (pairs: Record<string, string>) => Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== ''))
  const options = named({ apiVersion: given('api_version') })
  const common = ['api_key', 'api_version']
  if (vendor === 'bedrock') {
    const pair = ['aws_access_key_id', 'aws_secret_access_key']
    const [id = '', secret = ''] = pair.map(given)
    const token = given('aws_session_token')
    const key = id === '' || secret === '' ? given('api_key') : [id, secret, ...(token === '' ? [] : [token])].join(':')
    const looked = [...common, ...pair, 'aws_session_token', 'aws_region_name']
    return { key, options: { ...options, ...named({ region: given('aws_region_name') }) }, headers: {}, looked }
  }
  if (vendor === 'vertex') {
    const credentials = given('vertex_credentials')
    // A path is useless elsewhere; a variable may hold either.
    const isKey = /^\s*\{|^\$\{/.test(credentials)
    const place = named({ project: given('vertex_project'), region: given('vertex_location') })
    const looked = [...common, 'vertex_project', 'vertex_location', ...(isKey ? ['vertex_credentials'] : [])]
    return { key: isKey ? credentials : given('api_key'), options: { ...options, ...place }, headers: {}, looked }
  }
  const headers = vendor === 'openai' ? named({ 'openai-organization': given('organization') }) : {}
  return { key: given('api_key'), options, headers, looked: [...common, ...(vendor === 'openai' ? ['organization'] : [])] }
}
