import { createMemo, createSignal, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Button } from '#client/ui/button.tsx'
import { Composer, type ComposerHandle } from './composer.tsx'
import { ContextUsage } from './context-usage.tsx'
import { GroupAndModel } from './group-and-model.tsx'

/** The composer of the open conversation. */
export function ConversationComposer(props: { page: PageContext; handle(handle: ComposerHandle): void }) {
  const { playground, actions, view } = props.page
  const [handle, setHandle] = createSignal<ComposerHandle | undefined>()
  const isFree = () => {
    const of = playground.target()
    const price = of ? playground.catalogue.model(of.group, of.model)?.price : undefined
    return Number(price?.input ?? 1) === 0 && Number(price?.output ?? 1) === 0
  }
  const goneText = () => t('modelGone', { model: playground.target()?.model ?? '', group: playground.target()?.group ?? '' })
  /** The suggested replacement for a model that is gone. */
  const successor = createMemo(() => {
    const listed = playground.catalogue.models(playground.group())
    return listed.state === 'ready' ? listed.rows[0]?.id : undefined
  })
  const [refused, setRefused] = createSignal<string | undefined>()
  const noBalance = () => t(playground.conversation().settings.team === undefined ? 'noBalance' : 'noTeamBalance')
  /** The reason why nothing can be sent, if it should be shown without an attempt. */
  const note = () => (blocked() === noBalance() ? blocked() : refused() !== undefined ? (blocked() ?? refused()) : undefined)
  const blocked = () => {
    if (playground.rawRequest() !== null) return t('rawBlocks')
    if (playground.target() === null) return t('noModelYet')
    if (playground.modelGone()) return goneText()
    if (!isFree() && isEmpty(playground.wallet())) return noBalance()
    return playground.messagesState() === 'loading' ? t('stillLoading') : undefined
  }
  const isLoading = () => {
    if (playground.rawRequest() !== null) return false
    if (playground.target() !== null) return playground.messagesState() === 'loading'
    const { groups, models } = playground.catalogue
    const listed = groups()
    if (listed.state === 'loading') return true
    const others = listed.state === 'ready' ? listed.rows.map(({ name }) => name) : []
    return [playground.group(), ...others].some((one) => models(one).state === 'loading')
  }
  return (
    <div class="dock" id="composer">
      <Show when={playground.modelGone()}>
        <div class="notice warn gone" role="status">
          <span>{goneText()}</span>
          <Show when={successor()}>
            {(model) => (
              <Button
                size="sm"
                onClick={() => {
                  actions.selectModel(playground.target()?.group ?? '', model())
                  handle()?.focus()
                }}
              >
                {t('goOnWith', { model: model() })}
              </Button>
            )}
          </Show>
        </div>
      </Show>
      <Composer
        of={playground.conversation().id}
        draft={playground.conversation().draft}
        placeholder={playground.modelLocked() ? t('ask') : t('messageModel', { model: playground.target()?.model ?? t('aModel') })}
        running={playground.running() !== undefined}
        blocked={blocked()}
        isLoading={isLoading()}
        enterSends={view.enterSends()}
        choices={<GroupAndModel playground={playground} actions={actions} />}
        onDraft={actions.keepDraft}
        onSend={(text) => actions.send(text)}
        onStop={() => {
          const running = playground.running()
          if (running) playground.replies.stop(running.id)
        }}
        onEditLast={() => {
          const last = playground.path().findLast((message) => message.role === 'user')
          if (last) props.page.setEditedMessage(last.id)
        }}
        onRefused={setRefused}
        handle={(made) => {
          setHandle(made)
          props.handle(made)
        }}
      />
      <ContextUsage playground={playground} draft={handle()?.text() ?? ''} note={note()} />
    </div>
  )
}

/** Whether a wallet has nothing left to spend; an unknown one is not empty. */
const isEmpty = (wallet: { balance: string; held: string } | undefined) =>
  wallet !== undefined && Number(wallet.balance) - Number(wallet.held) <= 0
