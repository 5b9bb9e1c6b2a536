import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { Drawer } from '#client/ui/console/drawer.tsx'
import { Failure, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { copyText } from '#client/ui/copy-and-save.ts'
import { Icon } from '#client/ui/icon.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { Tooltip } from '#client/ui/tooltip.tsx'
import type { LogRow } from '#shared/console/log'
import { t } from './messages.ts'
import { RequestDetail } from './request-detail.tsx'

/** Reads one request. Throws ApiError. */
export const readRequest = (id: string, signal: AbortSignal): Promise<LogRow> =>
  callApi('GET', `/api/logs/${encodeURIComponent(id)}`, undefined, signal)

/** One request beside the list. */
export function RequestDrawer(props: {
  id: string
  onClose(): void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}) {
  const url = useUrlState()
  /** Includes the filters of the list, so that the page knows its neighbours. */
  const page = () => `/requests/${encodeURIComponent(props.id)}${new URL(url.href({ open: '' }), location.origin).search}`
  const request = createLoad(() => props.id, readRequest)
  return (
    <Drawer
      label={`${t('request')} ${props.id}`}
      title={
        <>
          <span class="mono truncate text-[13px]">{props.id}</span>
          <CopyButton text={props.id} what={t('id')} />
        </>
      }
      tools={
        <Tooltip label={t('openPage')}>
          <a class="ib" href={page()} aria-label={t('openPage')}>
            <Icon name="external" />
          </a>
        </Tooltip>
      }
      foot={<Show when={request.value()}>{(row) => <RequestActions row={row()} />}</Show>}
      onClose={props.onClose}
      onPrevious={props.onPrevious}
      onNext={props.onNext}
    >
      <Show
        when={request.value()}
        fallback={
          <div class="p-5">
            <Show when={request.error()} fallback={<Skeleton />}>
              {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void request.reload()} />}
            </Show>
          </div>
        }
      >
        {(row) => <RequestDetail row={row()} />}
      </Show>
    </Drawer>
  )
}

/** Actions on a request. */
export function RequestActions(props: { row: LogRow }) {
  const copy = async (text: string) => {
    if (await copyText(text)) showToast(t('copied'))
  }
  return (
    <>
      <Show when={props.row.stored}>
        <a class="btn primary" href={`/replay?requests=${encodeURIComponent(props.row.requestId)}`}>
          <Icon name="redo" />
          {t('replay')}
        </a>
      </Show>
      <Button icon="copy" onClick={() => void copy(curlOf(props.row))}>
        {t('copyCurl')}
      </Button>
      <Button icon="code" onClick={() => void copy(JSON.stringify(props.row, null, 2))}>
        {t('copyJson')}
      </Button>
    </>
  )
}

/** A call like this request; its texts are not kept, so the message is a placeholder. */
export function curlOf(row: LogRow): string {
  const body = (more: object) => JSON.stringify({ model: row.model, ...(row.stream && { stream: true }), ...more })
  const messages = [{ role: 'user', content: '...' }]
  const calls: Record<string, [path: string, body: string]> = {
    chat: ['/v1/chat/completions', body({ messages })],
    completions: ['/v1/completions', body({ prompt: '...' })],
    responses: ['/v1/responses', body({ input: '...' })],
    messages: ['/v1/messages', body({ max_tokens: 1024, messages })],
    gemini: [
      `/v1beta/models/${row.model}:${row.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      JSON.stringify({ contents: [{ role: 'user', parts: [{ text: '...' }] }] }),
    ],
  }
  const other: [string, string] = row.operation === 'embed' ? ['/v1/embeddings', body({ input: '...' })] : ['/v1', body({})]
  const [path, json] = row.operation === 'generate' ? (calls[row.dialect] ?? other) : other
  const version = row.dialect === 'messages' ? ['  -H "anthropic-version: 2023-06-01" \\'] : []
  return [
    `curl ${location.origin}${path} \\`,
    '  -H "Authorization: Bearer $PARLEY_KEY" \\',
    ...version,
    '  -H "Content-Type: application/json" \\',
    `  -d '${json}'`,
  ].join('\n')
}
