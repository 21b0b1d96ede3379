# Made by `{{command}}`, which also makes {{package}}: {{kind}}. It is yours to change.
FROM {{run}}
COPY {{package}} /server
ENV HOST=0.0.0.0 PORT=8080
# Nobody, by number: there need be no list of users.
USER 65534:65534
EXPOSE 8080
STOPSIGNAL SIGTERM
{{healthcheck}}
CMD ["/server"]
