/** The list of models, and one of them, in Gemini's format, with its paging. */
import { invalidField } from '#protocols/codec/fields'
import { fittingRows } from '#protocols/codec/fitting-rows'
import type { Operation } from '#shared/ids'

/** A model as the list shows it. */
export interface ListedModel {
  id: string
  /** Its operations; absent = generate. */
  operations?: readonly Operation[]
  /** Tokens. */
  contextTokens?: number
  maxOutputTokens?: number
}

/** The query parameters of a list, unchanged. */
export interface Paging {
  pageSize?: string | undefined
  pageToken?: string | undefined
}

/** Google's own default and maximum. */
const usualPage = 50
const largestPage = 1000

const methods: Partial<Record<Operation, readonly string[]>> = {
  generate: ['generateContent', 'countTokens'],
  embed: ['embedContent'],
}

function row({ id, operations = ['generate'], contextTokens, maxOutputTokens }: ListedModel) {
  return {
    name: `models/${id}`,
    version: '1',
    displayName: id,
    description: '',
    ...(contextTokens !== undefined && { inputTokenLimit: contextTokens }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: operations.flatMap((operation) => methods[operation] ?? []),
  }
}

/**
 * The body of `GET /v1beta/models`: one page of `models`, which must be in a stable order. `nextPageToken` is always present, null on the
 * last page: for an empty one Google's SDK would request the first page again, endlessly. Throws GatewayError 400 for paging parameters
 * that make no sense.
 */
export function writeModelList(models: readonly ListedModel[], paging: Paging = {}): string {
  const size = readSize(paging.pageSize)
  const start = startOf(models, paging.pageToken)
  const page = fittingRows(models.slice(start, start + size).map(row))
  const end = start + page.length
  return JSON.stringify({ models: page, nextPageToken: end >= models.length ? null : tokenOf(models[end - 1]?.id ?? '') })
}

/** The body of `GET /v1beta/models/{model}`. */
export function writeModel(model: ListedModel): string {
  return JSON.stringify(row(model))
}

function readSize(text: string | undefined): number {
  if (text === undefined || text === '') return usualPage
  if (!/^\d{1,9}$/.test(text)) throw invalidField('pageSize', 'an integer of 0 or more')
  return Math.min(largestPage, Number(text) || usualPage)
}

/** A token is the name of the last listed model, so that nothing is lost if the list grows in between. */
const tokenOf = (id: string) => Buffer.from(id).toString('base64url')

function startOf(models: readonly ListedModel[], token: string | undefined): number {
  if (token === undefined || token === '') return 0
  const last = models.findIndex(({ id }) => tokenOf(id) === token)
  if (last === -1) throw invalidField('pageToken', 'the nextPageToken of an earlier page')
  return last + 1
}
