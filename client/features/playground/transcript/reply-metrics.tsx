import { Show } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { estimateTokens } from '#client/features/playground/text/estimate-tokens.ts'
import { formatCount, formatMoney, formatSeconds } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { UsageRow } from '#shared/console/log'

/** The figures under a reply. The cost is the ledger's, never computed here. */
export function ReplyMetrics(props: { reply: Reply; running: boolean; onCopyId(id: string): void }) {
  return (
    <Show when={props.running} fallback={<Settled {...props} />}>
      <div class="foot">
        <span class="flex items-center gap-2">
          <span class="dot" />
          {props.reply.firstTokenMs === null ? t('waiting') : t('streaming')}
        </span>
        <Show when={props.reply.text !== ''}>
          <span>
            <b>{formatCount(estimateTokens(props.reply.text))}</b> {t('outSoFar')}
          </span>
        </Show>
        <FirstToken ms={props.reply.firstTokenMs} />
      </div>
    </Show>
  )
}

function Settled(props: { reply: Reply; onCopyId(id: string): void }) {
  const usage = () => props.reply.usage
  return (
    <div class="foot">
      <Show when={usage()}>
        {(used) => (
          <>
            <span>
              <b>{formatCount(inputOf(used()))}</b> {t('tokensIn')}
              <Show when={used().in.cacheRead > 0}>, {t('cached', { count: used().in.cacheRead })}</Show>
            </span>
            <span>
              <b>{formatCount(used().out.total)}</b> {t('tokensOut')}
              <Show when={used().out.reasoning > 0}>, {t('reasoned', { count: used().out.reasoning })}</Show>
              <Show when={used().provenance === 'estimated'}> ({t('estimated')})</Show>
            </span>
          </>
        )}
      </Show>
      <FirstToken ms={props.reply.firstTokenMs} />
      <Show when={props.reply.totalMs}>
        {(ms) => (
          <span>
            <b>{formatSeconds(ms())}</b>
          </span>
        )}
      </Show>
      <Show when={speedOf(props.reply)}>
        {(speed) => (
          <span>
            <b>{formatCount(speed())}</b> {t('perSecond')}
          </span>
        )}
      </Show>
      <Show when={props.reply.cost}>
        {(cost) => (
          <span class="cost" title={formatMoney(cost(), true)}>
            {formatMoney(cost())}
          </span>
        )}
      </Show>
      <Show when={props.reply.requestId}>
        {(id) => (
          <span class="request">
            <button type="button" aria-label={t('copyRequestId', { id: id() })} onClick={() => props.onCopyId(id())}>
              {id()}
            </button>
            <a class="open-request" href={`/requests/${encodeURIComponent(id())}`} aria-label={t('openRequest', { id: id() })}>
              <Icon name="external" small />
            </a>
          </span>
        )}
      </Show>
      <Marks reply={props.reply} />
    </div>
  )
}

/** Notes on a reply, on a line of their own, so that the figures, which come later, move nothing. */
function Marks(props: { reply: Reply }) {
  return (
    <div class="marks">
      <Show when={props.reply.state === 'stopped'}>
        <span class="bdg">{t('stopped')}</span>
      </Show>
      <Show when={props.reply.state === 'interrupted'}>
        <span class="bdg warn">{t('interrupted')}</span>
      </Show>
      <Show when={props.reply.finish !== null && props.reply.finish !== 'stop' ? props.reply.finish : undefined}>
        {(finish) => (
          <span class="bdg" classList={{ warn: finish() === 'length' || finish() === 'content_filter' }}>
            {t('finished', { reason: finish() })}
          </span>
        )}
      </Show>
      <Show when={props.reply.byHand}>
        <span class="bdg warn">{t('rawOn')}</span>
      </Show>
      <Show when={props.reply.losses}>{(losses) => <span class="bdg warn">{t('lost', { fields: losses() })}</span>}</Show>
      <Show when={props.reply.answeredBy !== null && props.reply.answeredBy !== props.reply.model ? props.reply.answeredBy : undefined}>
        {(name) => <span>{t('answeredBy', { model: name() })}</span>}
      </Show>
    </div>
  )
}

function FirstToken(props: { ms: number | null }) {
  return (
    <Show when={props.ms}>
      {(ms) => (
        <span>
          {t('firstToken')} <b>{formatSeconds(ms())}</b>
        </span>
      )}
    </Show>
  )
}

/** All input tokens, cached ones included. */
function inputOf(usage: UsageRow): number {
  const write = usage.in.cacheWrite
  return usage.in.fresh + usage.in.cacheRead + write['5m'] + write['1h'] + write.other + usage.in.audio + usage.in.image
}

/** Output tokens per second after the first one; undefined when too little was measured. */
export function speedOf(reply: Pick<Reply, 'usage' | 'totalMs' | 'firstTokenMs'>): number | undefined {
  const tokens = reply.usage?.out.total ?? 0
  const ms = (reply.totalMs ?? 0) - (reply.firstTokenMs ?? 0)
  return tokens > 1 && ms >= 50 ? Math.round((tokens / ms) * 1000) : undefined
}
