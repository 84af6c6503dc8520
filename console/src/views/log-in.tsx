import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { asApiError } from '../api/resource.ts';
import { isEmbedded, session } from '../api/session.ts';
import { Icon } from '../ui/icon.tsx';

/** Takes the operator's token once; what stays is a cookie that no script can read. */
export function LogIn() {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);

  const logIn = async (event: Event) => {
    event.preventDefault();
    setAsking(true);
    try {
      const call = api.POST('/ops/api/session', { body: { token: token.trim() } });
      const { as } = await answer(call);
      if (as !== null) session.value = { state: 'in', as };
    } catch (error) {
      const { code, message } = asApiError(error);
      setProblem(
        code === 'operator_unauthorized' ? 'This is not the token of an operator.' : message,
      );
    } finally {
      setAsking(false);
    }
  };

  return (
    <main class="log-in">
      <form onSubmit={(event) => void logIn(event)}>
        <div class="brand">
          <Icon name="hook" /> Hooks
        </div>
        <h1>Log in</h1>
        {/* Password managers keep a token under a name. */}
        <input
          class="visually-hidden"
          name="username"
          autocomplete="username"
          value="operator"
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <label for="token">Operator’s token</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          value={token}
          aria-invalid={problem !== undefined}
          aria-describedby="token-help"
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        <p id="token-help" class="help">
          {isEmbedded.value ? (
            'The application that this is a part of was given it.'
          ) : (
            <>
              <code>gateway.auth.token</code> of the configuration. Where none is set, the service
              made one: it is in the file <code>operator-token</code> of the data directory. Or the
              token that somebody made for you: <code>hooks token new --operator</code>.
            </>
          )}
        </p>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button class="primary" type="submit" disabled={isAsking}>
          Log in
        </button>
      </form>
    </main>
  );
}
