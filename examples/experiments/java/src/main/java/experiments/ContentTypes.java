package experiments;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Content types as the contract has them, with a space. Jetty knows `text/plain` with a charset in a spelling of its own. */
final class ContentTypes extends Handler.Wrapper {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        return super.handle(request, new Spelled(request, response), callback);
    }

    private static final class Spelled extends Response.Wrapper {
        private final HttpFields.Mutable headers;

        Spelled(Request request, Response wrapped) {
            super(request, wrapped);
            headers = new HttpFields.Mutable.Wrapper(wrapped.getHeaders()) {
                @Override
                public HttpField onAddField(HttpField field) {
                    return spelled(field);
                }

                @Override
                public HttpField onReplaceField(HttpField before, HttpField field) {
                    return spelled(field);
                }
            };
        }

        private static HttpField spelled(HttpField field) {
            boolean isOwn = field.getHeader() == HttpHeader.CONTENT_TYPE && field.getValue().contains(";charset=");
            return isOwn ? new HttpField(HttpHeader.CONTENT_TYPE, field.getValue().replace(";charset=", "; charset=")) : field;
        }

        @Override
        public HttpFields.Mutable getHeaders() {
            return headers;
        }
    }
}
